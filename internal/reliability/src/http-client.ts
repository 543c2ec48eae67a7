import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** A response. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The parsed JSON of the body, or its text when it is not JSON. */
  readonly body: unknown
}

/** A request. */
export interface HttpMessage {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly bearer?: string | undefined
  /** Sent as JSON. */
  readonly body?: object | undefined
  /** Aborts the request, as a client that disconnects does. */
  readonly signal?: AbortSignal | undefined
}

/** A client that reuses its connections. */
export interface HttpClient {
  /** Sends a request. Rejects when no complete response arrives. */
  readonly send: (message: HttpMessage) => Promise<HttpAnswer>
  /** Closes the connections. */
  readonly close: () => void
}

/** Creates a client of one server. */
export const createHttpClient = (origin: string): HttpClient => {
  const agent = new Agent({ keepAlive: true })
  return {
    send: ({ method, path, bearer, body, signal }) =>
      new Promise((resolve, reject) => {
        const json = body === undefined ? undefined : JSON.stringify(body)
        const headers = {
          ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
          ...(json !== undefined && {
            'Content-Type': 'application/json',
            'Content-Length': Buffer.byteLength(json),
          }),
        }
        const outgoing = request(new URL(path, origin), { method, headers, agent, ...(signal && { signal }) })
        outgoing.on('error', reject)
        outgoing.on('response', (incoming) => {
          text(incoming).then(
            (received) =>
              resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: readJson(received) }),
            reject,
          )
        })
        outgoing.end(json)
      }),
    close: () => agent.destroy(),
  }
}

const readJson = (received: string): unknown => {
  try {
    return JSON.parse(received)
  } catch {
    return received
  }
}

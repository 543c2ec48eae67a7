import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** What came back. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The JSON of the body, or its text where it is none. */
  readonly body: unknown
}

/** What is sent. */
export interface HttpMessage {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly bearer?: string | undefined
  /** Sent as JSON. */
  readonly body?: object | undefined
  /** Breaks the request off, as a client does that goes away. */
  readonly signal?: AbortSignal | undefined
}

/** A client that keeps its connections open and uses them again. */
export interface HttpClient {
  /** Sends a request; rejects when no whole answer comes. */
  readonly send: (message: HttpMessage) => Promise<HttpAnswer>
  /** Closes the connections. */
  readonly close: () => void
}

/** Makes a client of one server. */
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

import { Agent, type ClientRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** What a server responded with. */
export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** What a request has besides its method and path. */
export interface HttpMessage {
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
  /** Sends the body in chunks, without its length. @default false */
  readonly chunked?: boolean
  /** Aborts the request, as a client that disconnects does. */
  readonly signal?: AbortSignal | undefined
}

/** Sends a request. Rejects when no complete response is received. */
export type Send = (method: string, path: string, message?: HttpMessage) => Promise<HttpResponse>

/** A client of one server. */
export type HttpClient = ReturnType<typeof createHttpClient>

/**
 * Creates a client of one server.
 *
 * @param baseUrl origin and base path; the path of each request is appended without changes
 * @param options `keepAlive`: whether to reuse connections, as most clients do
 *
 * @example
 * const { send } = createHttpClient('http://127.0.0.1:3000')
 * const { status } = await send('POST', '/jwt-auth/v1/token', json({ username, password }))
 */
export const createHttpClient = (baseUrl: string, { keepAlive = true } = {}) => {
  const agent = new Agent({ keepAlive })
  const { hostname, port, pathname } = new URL(baseUrl)
  const basePath = pathname === '/' ? '' : pathname
  const send: Send = (method, path, { headers = {}, body, chunked = false, signal } = {}) => {
    const length = body === undefined || chunked ? {} : { 'Content-Length': Buffer.byteLength(body) }
    const outgoing = request({
      agent,
      host: hostname,
      port,
      method,
      path: basePath + path,
      headers: { ...headers, ...length },
      ...(signal && { signal }),
    })
    const response = readResponse(outgoing)
    if (chunked) outgoing.flushHeaders()
    outgoing.end(body)
    return response
  }
  return {
    send,
    /** Closes the connections. A connection also ends with its server. */
    close: (): void => agent.destroy(),
  }
}

/** Reads the response to a request. Rejects when the connection ends before the response does. */
export const readResponse = (outgoing: ClientRequest): Promise<HttpResponse> =>
  new Promise((resolve, reject) => {
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      text(incoming).then(
        (body) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: body }),
        reject,
      )
    })
  })

/** Returns a message with a JSON body. */
export const json = (body: unknown, headers: OutgoingHttpHeaders = {}): HttpMessage => ({
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

/** Returns a message with a bearer token. */
export const bearer = (token: string): HttpMessage => ({ headers: { Authorization: `Bearer ${token}` } })

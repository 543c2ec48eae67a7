import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'

/** What came back over the wire. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** What is sent beside method and path. */
export interface Message {
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array
  /** Sends the body in chunks, without announcing its length. */
  readonly chunked?: boolean
}

export type Send = (method: string, path: string, message?: Message) => Promise<Answer>

/** A client that keeps its connections open, as most do. They end with the server. */
export const createClient = (port: number): Send => {
  const agent = new Agent({ keepAlive: true })
  return (method, path, { headers = {}, body, chunked = false } = {}) =>
    new Promise((resolve, reject) => {
      const length = body === undefined || chunked ? {} : { 'Content-Length': Buffer.byteLength(body) }
      const outgoing = request({
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: { ...headers, ...length },
        agent,
      })
      outgoing.on('error', reject)
      outgoing.on('response', (incoming) => {
        text(incoming).then(
          (body) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: body }),
          reject,
        )
      })
      if (chunked) outgoing.flushHeaders()
      outgoing.end(body)
    })
}

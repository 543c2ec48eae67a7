import { connect } from 'node:net'

/** A response as it was received. */
export interface RawResponse {
  readonly status: number
  /** The headers in their order, with names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

const timeoutMs = 10_000

/**
 * Sends a request with `Connection: close` over a new connection, and reads the response. Resolves
 * to `undefined` when the server closes the connection without one. Rejects after ten seconds in
 * which the server has not closed it.
 */
export const exchange = (url: URL, bytes: Uint8Array): Promise<RawResponse | undefined> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname)
    const received: Buffer[] = []
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no response within ${timeoutMs} ms`))
    }, timeoutMs)
    socket.on('data', (chunk) => received.push(chunk))
    // A server that responds before it has read everything may reset the connection. The response
    // that came before counts, and `close` follows every error.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(readResponse(Buffer.concat(received)))
    })
    socket.write(bytes)
  })

/** Returns the first final response in the bytes. Skips interim responses (`100 Continue`). */
const readResponse = (bytes: Buffer): RawResponse | undefined => {
  const text = bytes.toString('latin1')
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...fields] = text.slice(0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const body = bytes.subarray(headEnd + 4)
  return status < 200 ? readResponse(body) : { status, headers: fields.map(readField), body: body.toString('utf8') }
}

const readField = (field: string): readonly [string, string] => {
  const colon = field.indexOf(':')
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
}

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
 * Sends bytes over a new connection and reads the first response. Resolves to `undefined` when the
 * server closes the connection without one. Rejects after ten seconds without a response.
 */
export const exchange = (url: URL, bytes: Uint8Array): Promise<RawResponse | undefined> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname)
    const received: Buffer[] = []
    const finish = (response: RawResponse | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(response)
    }
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no response within ${timeoutMs} ms`))
    }, timeoutMs)
    socket.on('data', (chunk) => {
      received.push(chunk)
      const response = readResponse(Buffer.concat(received))
      if (response !== undefined) finish(response)
    })
    // A server that responds before it has read everything may reset the connection. The response
    // that came before counts, and `close` follows every error.
    socket.on('error', () => {})
    socket.on('close', () => finish(readResponse(Buffer.concat(received), true)))
    socket.write(bytes)
  })

/**
 * Returns the first final response in the bytes. Returns `undefined` while it is incomplete. Skips
 * interim responses (`100 Continue`).
 */
const readResponse = (bytes: Buffer, isEnd = false): RawResponse | undefined => {
  const text = bytes.toString('latin1')
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...fields] = text.slice(0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  if (status < 200) return readResponse(bytes.subarray(headEnd + 4), isEnd)
  const headers = fields.map(readField)
  const body = bytes.subarray(headEnd + 4)
  const length = Number(headers.find(([name]) => name === 'content-length')?.[1])
  if (!isEnd && !(body.length >= length)) return undefined
  return { status, headers, body: body.toString('utf8') }
}

const readField = (field: string): readonly [string, string] => {
  const colon = field.indexOf(':')
  return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
}

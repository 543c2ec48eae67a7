import { connect } from 'node:net'

/** A response as it came over the wire. */
export interface RawAnswer {
  readonly status: number
  /** Names in lower case, in their order. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

const patienceMs = 10_000

/**
 * Sends these bytes over a connection of their own and reads the first answer. Rejects when none comes in ten seconds.
 *
 * @param isWhole whether more may follow; when not, the client's side of the connection is closed behind the bytes
 */
export const exchange = (url: URL, bytes: Uint8Array, isWhole: boolean): Promise<RawAnswer | undefined> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(url.port), url.hostname)
    const received: Buffer[] = []
    const finish = (answer: RawAnswer | undefined): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(answer)
    }
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no answer within ${patienceMs} ms`))
    }, patienceMs)
    socket.on('data', (chunk) => {
      received.push(chunk)
      const answer = readAnswer(Buffer.concat(received))
      if (answer !== undefined) finish(answer)
    })
    // A server that responds before it has read everything may reset the connection. The response that came before counts, and
    // `close` follows every error.
    socket.on('error', () => {})
    socket.on('close', () => finish(readAnswer(Buffer.concat(received), true)))
    socket.write(bytes)
    if (!isWhole) socket.end()
  })

/** The first final answer in the bytes; `undefined` while it is not whole. Interim ones (`100 Continue`) are passed over. */
const readAnswer = (bytes: Buffer, isEnd = false): RawAnswer | undefined => {
  const text = bytes.toString('latin1')
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...fields] = text.slice(0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  if (status < 200) return readAnswer(bytes.subarray(headEnd + 4), isEnd)
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

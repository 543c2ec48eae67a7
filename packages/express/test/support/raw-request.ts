import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Answer } from './http-client.js'

/** Sends a request as these very lines, the empty line after them included, and reads the answer to its end. */
export const sendRaw = (port: number, lines: readonly string[]): Promise<Answer> => {
  return readRawAnswer(sendText(port, [...lines, 'Host: 127.0.0.1', 'Connection: close', '', ''].join('\r\n')))
}

/** Sends this very text, byte for byte; the client's side of the connection stays open. */
export const sendText = (port: number, message: string): Socket => {
  const socket = connect(port, '127.0.0.1')
  socket.write(message, 'latin1')
  return socket
}

/** Reads what a server sends until it ends the connection; a second answer stands in the text of the first. */
export const readRawAnswer = async (socket: Socket): Promise<Answer> => readAnswer(await text(socket))

const readAnswer = (received: string): Answer => {
  const headEnd = received.indexOf('\r\n\r\n')
  const [statusLine = '', ...fields] = received.slice(0, headEnd).split('\r\n')
  const headers = fields.map((field) => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
  })
  return {
    status: Number(statusLine.split(' ')[1]),
    headers: Object.fromEntries(headers),
    text: received.slice(headEnd + 4),
  }
}

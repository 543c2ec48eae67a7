import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import type { HttpResponse } from '@jwt-auth/test-support/http-client'

/** Sends a request of exactly these lines and the empty line after them, and reads the response to its end. */
export const sendRaw = (port: number, lines: readonly string[]): Promise<HttpResponse> => {
  return readRawResponse(sendText(port, [...lines, 'Host: 127.0.0.1', 'Connection: close', '', ''].join('\r\n')))
}

/** Sends exactly this text. The client's side of the connection stays open. */
export const sendText = (port: number, message: string): Socket => {
  const socket = connect(port, '127.0.0.1')
  socket.write(message, 'latin1')
  return socket
}

/** Reads what a server sends until it ends the connection. A second response is in the text of the first. */
export const readRawResponse = async (socket: Socket): Promise<HttpResponse> => readResponse(await text(socket))

const readResponse = (received: string): HttpResponse => {
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

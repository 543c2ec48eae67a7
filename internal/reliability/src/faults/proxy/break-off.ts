import type { Socket } from 'node:net'

/**
 * Resets a connection with a RST. Closes a socket that has started to send its own end without a RST: there, Node's
 * `resetAndDestroy` fails with EINVAL, and the socket never emits `close`.
 */
export const breakOff = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

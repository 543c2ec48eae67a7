import type { Socket } from 'node:net'

/**
 * Breaks a connection off with a RST. A socket that has begun to send its own end is closed without one: Node's `resetAndDestroy`
 * fails there with EINVAL, and the socket is never closed and never emits `close`.
 */
export const breakOff = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

import type { Socket } from 'node:net'

/**
 * Resets a connection with a RST. A socket that has already started to send its own end is closed without a RST: there, Node's
 * `resetAndDestroy` fails with EINVAL, and the socket never emits `close`.
 *
 * The proxy would count such a client forever. That is why the outage tests once reported `the service holds 6 connections` for a
 * pool of five on MariaDB: a client had timed out while it connected. The service itself held five connections.
 */
export const breakOff = (socket: Socket): void => {
  if (socket.writableEnded) socket.destroy()
  else socket.resetAndDestroy()
}

import { once } from 'node:events'
import type { Server } from 'node:net'

// Long enough for any burst.
const backlog = 4_096

/** Listens on a free port of 127.0.0.1. Resolves to the port. */
export const listen = async (server: Server): Promise<number> => {
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog }), 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return address.port
}

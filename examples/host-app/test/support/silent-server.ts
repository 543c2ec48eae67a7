import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** A server that accepts connections and sends nothing. */
export interface SilentServer {
  readonly port: number
  readonly stop: () => void
}

export const startSilentServer = async (): Promise<SilentServer> => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

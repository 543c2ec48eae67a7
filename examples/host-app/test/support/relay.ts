import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** A TCP server in front of another one, which a test can stop and start again. */
export interface Relay {
  readonly port: number
  /** Ends all connections and refuses new ones. */
  readonly close: () => Promise<void>
  /** Listens again at the same port. */
  readonly reopen: () => Promise<void>
}

export const startRelay = async (target: { readonly host: string; readonly port: number }): Promise<Relay> => {
  const sockets = new Set<Socket>()
  const add = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  }
  const server = createServer((socket) => {
    const other = add(connect(target))
    add(socket).pipe(other).pipe(socket)
    socket.once('close', () => other.destroy())
    other.once('close', () => socket.destroy())
  })
  const listen = async (port: number): Promise<void> => {
    await once(server.listen(port, '127.0.0.1'), 'listening')
  }
  await listen(0)
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    reopen: () => listen(port),
  }
}

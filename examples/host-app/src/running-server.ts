import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A server that listens. */
export interface RunningServer {
  readonly origin: string
  /** Takes no new request, lets those in flight finish for a while, then cuts what is left. */
  readonly stop: () => Promise<void>
}

const patienceMs = 8_000

/** Listens; rejects when it can't, for example because the port is taken. */
export const startServer = async (listener: RequestListener, host: string, port: number): Promise<RunningServer> => {
  const server = createServer(listener)
  const closeIdle = trackIdleSockets(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return { origin: originOf(server, host), stop: () => stop(server, closeIdle) }
}

const originOf = (server: Server, host: string): string => {
  const address = server.address()
  const port = isAddressInfo(address) ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const isAddressInfo = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === 'object' && address !== null

// Node's own closeIdleConnections leaves out connections that never sent a request, as browsers open them in advance.
const trackIdleSockets = (server: Server): (() => void) => {
  const idle = new Set<Socket>()
  let isStopping = false

  const setIdle = (socket: Socket): void => {
    if (isStopping) socket.destroy()
    else idle.add(socket)
  }

  server.on('connection', (socket) => {
    setIdle(socket)
    socket.once('close', () => idle.delete(socket))
  })
  server.on('request', (req, res) => {
    idle.delete(req.socket)
    res.once('close', () => setIdle(req.socket))
  })
  return () => {
    isStopping = true
    for (const socket of idle) socket.destroy()
  }
}

const stop = async (server: Server, closeIdle: () => void): Promise<void> => {
  const cut = setTimeout(() => server.closeAllConnections(), patienceMs)
  const closed = new Promise((resolve) => server.close(resolve))
  closeIdle()
  await closed
  clearTimeout(cut)
}

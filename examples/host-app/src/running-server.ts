import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A server that listens. */
export interface RunningServer {
  readonly origin: string
  /** Accepts no new requests and waits for requests in flight. Resolves to whether requests were cut because they took too long. */
  readonly stop: () => Promise<'finished' | 'cut'>
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
  // Several on one connection may be in flight at once: HTTP calls it pipelining.
  const requestsOf = new Map<Socket, number>()
  let isStopping = false

  const count = (socket: Socket, change: number): void => {
    const requests = (requestsOf.get(socket) ?? 0) + change
    requestsOf.set(socket, requests)
    if (isStopping && requests === 0) socket.destroy()
  }

  server.on('connection', (socket) => {
    count(socket, 0)
    socket.once('close', () => requestsOf.delete(socket))
  })
  server.on('request', (req, res) => {
    count(req.socket, 1)
    res.once('close', () => count(req.socket, -1))
  })
  return () => {
    isStopping = true
    for (const socket of requestsOf.keys()) count(socket, 0)
  }
}

const stop = async (server: Server, closeIdle: () => void): Promise<'finished' | 'cut'> => {
  let outcome: 'finished' | 'cut' = 'finished'
  const timer = setTimeout(() => {
    outcome = 'cut'
    server.closeAllConnections()
  }, patienceMs)
  const closed = new Promise((resolve) => server.close(resolve))
  closeIdle()
  await closed
  clearTimeout(timer)
  return outcome
}

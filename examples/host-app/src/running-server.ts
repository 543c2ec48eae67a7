import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server that listens. */
export interface RunningServer {
  readonly origin: string
  /** Takes no new request, lets those in flight finish for a while, then cuts what is left. */
  readonly stop: () => Promise<void>
}

const patienceMs = 8_000
const sweepMs = 50

/** Listens; rejects when it can't, for example because the port is taken. */
export const startServer = async (listener: RequestListener, host: string, port: number): Promise<RunningServer> => {
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return { origin: originOf(server, host), stop: () => stop(server) }
}

const originOf = (server: Server, host: string): string => {
  const address = server.address()
  const port = isAddressInfo(address) ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const isAddressInfo = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === 'object' && address !== null

// A connection that is kept alive becomes idle only when its request is done, so that idle ones are closed again and again.
const stop = async (server: Server): Promise<void> => {
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
  const cut = setTimeout(() => server.closeAllConnections(), patienceMs)
  await new Promise((resolve) => server.close(resolve))
  clearInterval(sweep)
  clearTimeout(cut)
}

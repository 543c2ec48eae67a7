import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { type TrackedConnections, trackConnections } from './tracked-connections.js'

/** A server that listens. */
export interface RunningServer {
  readonly origin: string
  /**
   * Accepts no new connections and responds to every request that has arrived, with `Connection: close`. Resolves to whether requests
   * were cut because they took too long.
   */
  readonly stop: () => Promise<'finished' | 'cut'>
}

const patienceMs = 8_000
// A client may have sent its next request before it learns that the server stops.
const idleGraceMs = 500
const mostTurns = 1_000

/** Listens; rejects when it can't, for example because the port is taken. */
export const startServer = async (listener: RequestListener, host: string, port: number): Promise<RunningServer> => {
  const server = createServer(listener)
  const connections = trackConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return { origin: originOf(server, host), stop: () => stop(server, connections) }
}

const originOf = (server: Server, host: string): string => {
  const address = server.address()
  const port = isAddressInfo(address) ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const isAddressInfo = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === 'object' && address !== null

const stop = async (server: Server, connections: TrackedConnections): Promise<'finished' | 'cut'> => {
  let outcome: 'finished' | 'cut' = 'finished'
  const timer = setTimeout(() => {
    outcome = 'cut'
    server.closeAllConnections()
  }, patienceMs)
  await waitForQuietTurn(connections)
  const closed = new Promise((resolve) => server.close(resolve))
  connections.announceClose()
  await Promise.race([closed, wait(idleGraceMs, undefined, { ref: false })])
  await setImmediate()
  connections.closeIdle()
  await closed
  clearTimeout(timer)
  return outcome
}

// The system accepts connections before Node does. When the server closes, the system resets those that Node has not accepted. After a turn
// of the event loop without a new connection or request, such a connection is rare.
const waitForQuietTurn = async (connections: TrackedConnections): Promise<void> => {
  for (let turn = 0; turn < mostTurns; turn += 1) {
    const before = connections.countEvents()
    await setImmediate()
    if (turn > 0 && connections.countEvents() === before) return
  }
}

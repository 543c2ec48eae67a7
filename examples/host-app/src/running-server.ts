import { once } from 'node:events'
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
// How long no new connection comes before the server closes, and how long the server waits for that.
const quietMs = 50
const longestHoldMs = 500

/** Listens; rejects when it can't, for example because the port is taken. */
export const startServer = async (listener: RequestListener, host: string, port: number): Promise<RunningServer> => {
  const requests = createRequestHold(listener)
  const server = createServer(requests.listener)
  const connections = trackConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return { origin: originOf(server, host), stop: () => stop({ server, connections, requests }) }
}

const originOf = (server: Server, host: string): string => {
  const address = server.address()
  const port = isAddressInfo(address) ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const isAddressInfo = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === 'object' && address !== null

const stop = async (parts: StoppingParts): Promise<'finished' | 'cut'> => {
  const { server, connections } = parts
  let outcome: 'finished' | 'cut' = 'finished'
  const timer = setTimeout(() => {
    outcome = 'cut'
    server.closeAllConnections()
  }, patienceMs)
  const closed = once(server, 'close')
  await closeListener(parts)
  await Promise.race([closed, wait(idleGraceMs, undefined, { ref: false })])
  await setImmediate()
  connections.closeIdle()
  await closed
  clearTimeout(timer)
  return outcome
}

// The system accepts connections before Node does. When the server closes, the system resets those that Node has not accepted. So new
// requests wait for a moment: their clients wait too, no new connection comes, and the queue of the system is empty when the server closes.
const closeListener = async ({ server, connections, requests }: StoppingParts): Promise<void> => {
  connections.announceClose()
  requests.hold()
  const latest = Date.now() + longestHoldMs
  for (let accepted = -1; accepted !== connections.countAccepted() && Date.now() < latest; ) {
    accepted = connections.countAccepted()
    await wait(quietMs)
  }
  await setImmediate()
  server.close()
  requests.release()
}

/** Passes requests on, or holds them back until the release. */
const createRequestHold = (listener: RequestListener) => {
  let held: (() => void)[] | undefined
  return {
    listener: ((req, res) => {
      if (held === undefined) listener(req, res)
      else held.push(() => listener(req, res))
    }) satisfies RequestListener,
    hold: () => {
      held = []
    },
    release: () => {
      const waiting = held ?? []
      held = undefined
      for (const pass of waiting) pass()
    },
  }
}

interface StoppingParts {
  readonly server: Server
  readonly connections: TrackedConnections
  readonly requests: Pick<ReturnType<typeof createRequestHold>, 'hold' | 'release'>
}

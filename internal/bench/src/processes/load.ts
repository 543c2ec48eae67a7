/** The program of a load: the client's side, in its own process. */
import { checkServer } from '../load/check-server.js'
import { type ClosedLoop, runClosedLoop } from '../load/closed-loop.js'
import { type Flood, type FloodResult, runFlood } from '../load/flood.js'
import type { LoadResult } from '../load/load-result.js'
import { type LoginFlood, type LoginFloodResult, runLoginFlood } from '../load/login-flood.js'
import { runOpenLoop } from '../load/open-loop.js'
import { serveOrders } from './serve-orders.js'
import type { ListeningServer } from './server.js'

/** Requests with tokens in turn, at a fixed rate. */
export interface FixedRate {
  readonly url: string
  readonly tokens: readonly string[]
  readonly ratePerSecond: number
  readonly connections: number
  readonly seconds: number
}

/** The orders of a load. */
export interface LoadOrders {
  readonly check: (server: ListeningServer) => Promise<void>
  readonly closedLoop: (loop: ClosedLoop) => Promise<LoadResult>
  readonly fixedRate: (loop: FixedRate) => Promise<LoadResult>
  readonly flood: (flood: Flood) => Promise<FloodResult>
  readonly loginFlood: (flood: LoginFlood) => Promise<LoginFloodResult>
}

serveOrders<LoadOrders>({
  check: checkServer,
  closedLoop: runClosedLoop,
  flood: runFlood,
  loginFlood: runLoginFlood,
  fixedRate: ({ tokens, ...loop }) => {
    const requestAt = (number: number) => ({
      options: { headers: { authorization: `Bearer ${tokens[number % tokens.length]}` } },
    })
    return runOpenLoop({ ...loop, requestAt, patienceSeconds: 5 })
  },
})

/** The program of a load: the client's side, in its own process. */
import { checkServer } from '../load/check-server.js'
import { type ClosedLoop, runClosedLoop } from '../load/closed-loop.js'
import type { LoadResult } from '../load/load-result.js'
import { type OpenLoop, runOpenLoop } from '../load/open-loop.js'
import { serveOrders } from './serve-orders.js'
import type { ListeningServer } from './server.js'

/** The orders of a load. */
export interface LoadOrders {
  readonly check: (server: ListeningServer) => Promise<void>
  readonly closedLoop: (loop: ClosedLoop) => Promise<LoadResult>
  readonly fixedRate: (loop: Omit<OpenLoop, 'patienceSeconds'>) => Promise<LoadResult>
}

serveOrders<LoadOrders>({
  check: checkServer,
  closedLoop: runClosedLoop,
  fixedRate: (loop) => runOpenLoop({ ...loop, patienceSeconds: 5 }),
})

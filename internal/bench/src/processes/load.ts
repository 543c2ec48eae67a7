/** The program of a load: the client's side, in its own process. */
import { serveParent } from '@jwt-auth/test-support'
import { checkServer } from '../load/check-server.js'
import { runClosedLoop } from '../load/closed-loop.js'
import { type OpenLoop, runOpenLoop } from '../load/open-loop.js'
import { runVisits } from '../load/visits.js'

const functions = {
  check: checkServer,
  closedLoop: runClosedLoop,
  visits: runVisits,
  fixedRate: (loop: Omit<OpenLoop, 'patienceSeconds'>) => runOpenLoop({ ...loop, patienceSeconds: 5 }),
}

/** The functions of the program. */
export type Load = typeof functions

serveParent(functions)

/** The program of a load: the client's side, in its own process. */
import { serveParent } from '@jwt-auth/test-support'
import { runClosedLoop } from '../load/closed-loop.js'
import { runFixedRate } from '../load/fixed-rate.js'
import { runJourneys } from '../load/journeys.js'

const functions = { closedLoop: runClosedLoop, fixedRate: runFixedRate, journeys: runJourneys }

/** The functions of the program. */
export type Load = typeof functions

serveParent(functions)

import type { Random } from '../random.js'
import type { DrawAbort } from './journey.js'
import type { Stage } from './stage.js'
import { startTraffic } from './traffic.js'
import { watchStage } from './watch.js'

/** What clients that go away did to a service. */
export interface LeavingReport {
  /** Requests that were answered. */
  readonly answered: number
  /** Requests that were broken off before their answer was there. */
  readonly brokenOff: number
  readonly violations: readonly string[]
}

const visitors = 8
// From before the request has arrived until after it was answered.
const longestStayMs = 12

/** Lets one request of five be broken off at a random moment, until so many were answered. */
export const runLeavingClients = async (
  stage: Stage,
  { random, requests }: { readonly random: Random; readonly requests: number },
): Promise<LeavingReport> => {
  const watch = watchStage(stage)
  const drawAbort: DrawAbort = () =>
    random.isOneIn(5) ? AbortSignal.timeout(random.between(0, longestStayMs)) : undefined
  const traffic = startTraffic(watch, { visitors, storageTimeoutMs: stage.storageTimeoutMs, drawAbort })
  // Traffic that went on after a failure would disturb what comes next.
  await traffic.untilDone(requests).finally(traffic.finish)
  const brokenOff = traffic.records.filter(({ outcome }) => outcome === 'lost').length
  return { answered: traffic.records.length - brokenOff, brokenOff, violations: await watch.findViolations() }
}

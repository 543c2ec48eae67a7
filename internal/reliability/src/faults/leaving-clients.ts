import type { Random } from '../random.js'
import type { Stage } from './stage.js'
import { type ChooseAbort, startTraffic } from './traffic.js'
import { watchStage } from './watch.js'

/** What clients that disconnect did to a service. */
export interface LeavingReport {
  /** The number of requests that were not aborted. */
  readonly completed: number
  /** The number of requests that were aborted before their response arrived. */
  readonly aborted: number
  readonly violations: readonly string[]
}

const visitors = 8
// The moments range from before the request has arrived until after its response.
const maxDelayMs = 12

/**
 * Aborts one of five requests at a random moment, until so many others have received their
 * response.
 */
export const runLeavingClients = async (
  stage: Stage,
  { random, requests }: { readonly random: Random; readonly requests: number },
): Promise<LeavingReport> => {
  const watch = watchStage(stage)
  const chooseAbort: ChooseAbort = () =>
    random.isOneIn(5) ? AbortSignal.timeout(random.between(0, maxDelayMs)) : undefined
  const traffic = startTraffic(watch, { visitors, storageTimeoutMs: stage.storageTimeoutMs, chooseAbort })
  // Also after a failure: the traffic must not disturb the next test.
  await traffic.untilDone(requests).finally(traffic.finish)
  const aborted = traffic.records.filter(({ outcome }) => outcome === 'lost').length
  return { completed: traffic.records.length - aborted, aborted, violations: await watch.findViolations() }
}

import { checkHistory } from '../history/check-history.js'
import { describeViolation } from '../history/violation.js'
import type { Fleet } from './fleet.js'

/** Adds the final reads to the history of a fleet, and checks it. Resolves to one text per violation. */
export const findViolations = async ({ instances, recorder, judgedBy }: Fleet): Promise<readonly string[]> => {
  const [first] = instances
  if (first !== undefined) await recorder.readFinally(first)
  return checkHistory(recorder.history(), judgedBy).map(describeViolation)
}

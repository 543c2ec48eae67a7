import { checkHistory } from '../history/check-history.js'
import { describeViolation } from '../history/violation.js'
import type { Fleet } from './fleet.js'

/** Appends the final reads to a fleet's history, and tells what the checker finds in it, one text for each violation. */
export const findViolations = async ({ instances, recorder, judgedBy }: Fleet): Promise<readonly string[]> => {
  const [first] = instances
  if (first !== undefined) await recorder.readFinally(first)
  return checkHistory(recorder.history(), judgedBy).map(describeViolation)
}

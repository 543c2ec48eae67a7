import { publishedFailures } from '../model/cases/published-failures.js'
import { findCounterexample } from '../model/find-counterexample.js'
import { modelPolicy } from '../model/reference-session.js'
import { buildSubject } from './build-subject.js'
import type { PlantedBug } from './planted-bug.js'

/** Who notices a planted bug. */
export interface Catch {
  readonly isCaughtByModel: boolean
  /** Places in the list of published failures, counted from 1. */
  readonly cases: readonly number[]
}

const mostRuns = 1_500

/** Plants a bug, and asks every named case, and the model where it finds the bug soon. */
export const whatCatches = async (bug: PlantedBug): Promise<Catch> => {
  const subject = await buildSubject(bug)
  const outcomes = await Promise.allSettled(publishedFailures.map(({ run }) => run(subject)))
  const cases = outcomes.flatMap(({ status }, place) => (status === 'rejected' ? [place + 1] : []))
  if (bug.seed === undefined) return { isCaughtByModel: false, cases }
  const { seed, graceSeconds = modelPolicy.refreshGraceSeconds } = bug
  const found = await findCounterexample(subject, { runs: mostRuns, seed, graceSeconds, isShortened: false })
  return { isCaughtByModel: found !== undefined, cases }
}

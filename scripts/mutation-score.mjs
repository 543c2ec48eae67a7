// What became of a room's mutants, as a row of the table in docs/security/mutation-testing.md.

/** @typedef {{ readonly status: string }} Mutant */

/**
 * A mutant counts as noticed when a test fails of it, or never ends. What doesn't run at all (an error while loading, a mutant that was
 * left out) counts nowhere in the score.
 *
 * @param {readonly Mutant[]} mutants
 */
export const countMutants = (mutants) => {
  const count = (status) => mutants.filter((mutant) => mutant.status === status).length
  const [killed, timedOut, survived, notCovered, leftOut] = [
    'Killed',
    'Timeout',
    'Survived',
    'NoCoverage',
    'Ignored',
  ].map(count)
  const total = killed + timedOut + survived + notCovered
  return {
    killed,
    timedOut,
    survived,
    notCovered,
    leftOut,
    score: `${((100 * (killed + timedOut)) / Math.max(1, total)).toFixed(1)} %`,
  }
}

/**
 * @param {string} room
 * @param {readonly Mutant[]} mutants
 * @param {Date} at
 */
export const toRow = (room, mutants, at) => {
  const { killed, timedOut, survived, notCovered, leftOut, score } = countMutants(mutants)
  return `| ${[room, at.toISOString().slice(0, 10), killed, timedOut, survived, notCovered, leftOut, score].join(' | ')} |`
}

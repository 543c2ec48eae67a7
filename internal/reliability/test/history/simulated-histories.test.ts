import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkHistory } from '../../src/history/check-history.js'
import { describeViolation } from '../../src/history/violation.js'
import { plantedViolations } from './support/planted-violations.js'
import { type Intent, simulatedGraceMs, simulateHistory } from './support/simulated-history.js'

const intentsWithin = (latestBegin: number, longestDelay: number) =>
  fc.array(
    fc.record<Intent>({
      kind: fc.constantFrom('refresh', 'refresh', 'refresh', 'authorize', 'authorize', 'revoke'),
      start: fc.integer({ min: 2, max: latestBegin }),
      delay: fc.integer({ min: 1, max: longestDelay }),
      responseDelay: fc.integer({ min: 1, max: longestDelay }),
      age: fc.constantFrom(0, 0, 0, 1, 2, 9),
      isResponseLost: fc.constantFrom(false, false, false, false, true),
    }),
    { maxLength: 14 },
  )

/** Short histories, in which requests race, and long histories, in which tokens grow old. */
const intents = fc.oneof(intentsWithin(60, 15), intentsWithin(400, 40))

const check = (history: ReturnType<typeof simulateHistory>): readonly string[] =>
  checkHistory(history, { graceMs: simulatedGraceMs }).map(describeViolation)

describe('the checker', () => {
  it('finds nothing in the responses of a correct service, in any overlap of its requests', () => {
    fc.assert(
      fc.property(intents, intents, (some, others) => {
        expect(check([...simulateHistory(some, 's1'), ...simulateHistory(others, 's2')])).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(Object.entries(plantedViolations))('finds %s in each history where it is planted', (_, plant) => {
    let planted = 0
    fc.assert(
      fc.property(intents, fc.nat(), (some, pick) => {
        const broken = plant(simulateHistory(some, 's1'), pick)
        if (broken === undefined) return
        planted += 1
        expect(check(broken)).not.toEqual([])
      }),
      { numRuns: 300 },
    )
    expect(planted).toBeGreaterThan(20)
  })
})

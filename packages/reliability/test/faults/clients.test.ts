import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runLeavingClients } from '../../src/faults/leaving-clients.js'
import { onEachStage, openStages } from '../../src/faults/open-stages.js'
import { shutDown } from '../../src/faults/shut-down.js'
import type { Stage } from '../../src/faults/stage.js'
import { createRandom } from '../../src/scenarios/random.js'

const requests = 150
const users = 12

/** Each on another store and another framework. */
let stages: readonly Stage[]
beforeAll(async () => {
  stages = await openStages({ storageTimeoutMs: 5_000 })
})
afterAll(() => Promise.all(stages.map(({ close }) => close())))

describe('clients of which one in five breaks its request off', { timeout: 60_000 }, () => {
  it('get answers that are their own, and lose nothing', async () => {
    const violations = await onEachStage(stages, async (stage) => {
      const report = await runLeavingClients(stage, { random: createRandom(1), requests })
      expect(report.brokenOff).toBeGreaterThan(requests / 20)
      return report.violations
    })
    expect(violations).toEqual([])
  })
})

describe('a service that is told to leave under load', () => {
  it('answers what is under way, lets nobody new in, and ends well', async () => {
    const results = await Promise.all(stages.map(({ instance }) => shutDown(instance, users)))
    expect(results).toEqual(
      stages.map(() => ({
        visits: new Array(users).fill('let-in'),
        refreshes: new Array(users).fill('granted'),
        ending: { code: 0, signal: null, stderr: '' },
      })),
    )
  })
})

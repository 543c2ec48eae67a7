import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { onEachStage, openStages } from '../../src/faults/open-stages.js'
import { outages } from '../../src/faults/outages.js'
import { runOutage } from '../../src/faults/run-outage.js'
import type { Stage } from '../../src/faults/stage.js'

/** Longer than the deadline of a storage call. */
const lengthMs = 450

let stages: readonly Stage[]
beforeAll(async () => {
  stages = await openStages()
})
afterAll(() => Promise.all(stages.map(({ close }) => close())))

describe('a service under load on each store', { timeout: 60_000 }, () => {
  it.each(outages.map((outage) => [outage.name, outage] as const))('survives %s', async (_, outage) => {
    const suffering = stages.filter((stage) => outage.stores.includes(stage.name))
    const violations = await onEachStage(suffering, async (stage) => {
      const report = await runOutage(stage, outage, lengthMs)
      return report.violations
    })
    expect(violations).toEqual([])
  })
})

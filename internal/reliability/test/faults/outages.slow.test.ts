import { needs } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outages } from '../../src/faults/outages.js'
import { runOutage } from '../../src/faults/run-outage.js'
import { onEachStage, openStages, type Stage } from '../../src/faults/stage.js'
import { watchService } from '../../src/faults/watch.js'
import { declareMissingServers, findAnyServer, logIn, tryAll } from './support/fault-tests.js'

/** Longer than the deadline of a storage call. */
const lengthMsOf = ({ callTimeoutMs }: Stage): number => 1.3 * callTimeoutMs

/**
 * For this length, the omitted outage is the same as the silent network. The soak runs it for
 * longer.
 */
const tested = outages.filter(({ name }) => name !== 'a network that makes every query exceed the deadline')

const anyServer = await findAnyServer()

let stages: readonly Stage[]
beforeAll(async () => {
  stages = await openStages()
})
afterAll(() => Promise.all(stages.map(({ close }) => close())))

describe('a service under load on each store', needs(anyServer), () => {
  it.each(tested.map((outage) => [outage.name, outage] as const))('survives %s', async (_, outage) => {
    const affected = stages.filter((stage) => outage.stores.includes(stage.name))
    const violations = await onEachStage(affected, async (stage) => {
      const report = await runOutage(stage, outage, lengthMsOf(stage))
      return report.violations
    })
    expect(violations).toEqual([])
  })
})

describe('an outage that fails to start', needs(anyServer), () => {
  it('ends its traffic, which would use connections during the next outage', async () => {
    const [stage] = stages
    const [outage] = outages
    if (stage === undefined || outage === undefined) return
    let sent = 0
    const { client } = stage.instance
    const send: typeof client.send = (...request) => {
      sent += 1
      return client.send(...request)
    }
    const counted = { ...stage, instance: { ...stage.instance, client: { ...client, send } } }
    const start = () => Promise.reject(new Error('The server does not stop.'))
    await expect(runOutage(counted, { ...outage, start }, lengthMsOf(stage))).rejects.toThrow('does not stop')
    const before = sent
    const watch = watchService(stage.instance)
    for (let round = 1; round <= 10; round += 1) await tryAll(watch, await logIn(watch, round))
    expect(sent).toBe(before)
  })
})

await declareMissingServers()

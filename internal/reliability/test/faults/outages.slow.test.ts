import { withOpened } from '@jwt-auth/test-support'
import { needs } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openInstances } from '../../src/cluster/instance/start-instance.js'
import { outages } from '../../src/faults/outages.js'
import { runOutage } from '../../src/faults/run-outage.js'
import { onEachStage, openStages, type Stage } from '../../src/faults/stage.js'
import { watchService } from '../../src/faults/watch.js'
import { declareMissingServers, findAnyServer } from './support/own-stages.js'
import { allSucceed, logIn, tryAll } from './support/try-all.js'

/** Longer than the deadline of a storage call. */
const lengthMsOf = ({ storageTimeoutMs }: Stage): number => 1.3 * storageTimeoutMs

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

describe('a firewall that drops the one connection of a client of Redis', needs(anyServer), () => {
  it('stops the service until its restart, without a lost session', async () => {
    const stage = stages.find(({ name }) => name === 'Redis')
    if (stage === undefined) return
    const { proxy, instance, storageTimeoutMs } = stage
    const watch = watchService(instance)
    const grant = await logIn(watch, 1)
    await proxy.setFault({ kind: 'drop', way: 'both' })
    expect((await watch.recorder.refresh(watch.endpoint, grant)).outcome.kind).toBe('failed')
    await proxy.setFault({ kind: 'none' })
    expect((await watch.recorder.visit(watch.endpoint, grant)).kind).toBe('failed')

    const settings = { storageUrl: proxy.url, framework: 'node:http', options: { storageTimeoutMs } } as const
    await withOpened(openInstances([settings]), async ({ instances: [restarted] }) => {
      if (restarted === undefined) throw new Error('No instance was started.')
      expect(await tryAll(watchService(restarted), grant)).toEqual(allSucceed)
    })
  })
})

await declareMissingServers()

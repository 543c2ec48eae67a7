import { isPresent } from '@jwt-auth/test-support'
import { describeEach, needs } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withInstances } from '../../src/cluster/instance/with-instances.js'
import { onEachStage, openStages } from '../../src/faults/open-stages.js'
import { outages } from '../../src/faults/outages.js'
import { runOutage } from '../../src/faults/run-outage.js'
import { findOwnServers } from '../../src/faults/servers/own-servers.js'
import type { Stage } from '../../src/faults/stage.js'
import { watchService } from '../../src/faults/watch.js'
import { everything, logIn, tryAll } from './try-all.js'

/** Longer than the deadline of a storage call. */
const lengthMsOf = ({ storageTimeoutMs }: Stage): number => 1.3 * storageTimeoutMs

/** As long as an outage lasts here, this one is the same as the silent network. The soak tries it for longer. */
const tested = outages.filter(({ name }) => name !== 'a network that makes every query slower than the deadline')

const kinds = await findOwnServers()
/** One kind is enough: each test uses every kind that is present. */
const servers = kinds.find(isPresent) ?? { name: 'a database server', missing: kinds[0]?.missing }

let stages: readonly Stage[]
beforeAll(async () => {
  stages = await openStages()
})
afterAll(() => Promise.all(stages.map(({ close }) => close())))

describe('a service under load on each store', needs(servers), () => {
  it.each(tested.map((outage) => [outage.name, outage] as const))('survives %s', async (_, outage) => {
    const suffering = stages.filter((stage) => outage.stores.includes(stage.name))
    const violations = await onEachStage(suffering, async (stage) => {
      const report = await runOutage(stage, outage, lengthMsOf(stage))
      return report.violations
    })
    expect(violations).toEqual([])
  })
})

describe('an outage that can not begin', needs(servers), () => {
  it('ends its traffic, which would use connections while the next outage is judged', async () => {
    const [stage] = stages
    const [outage] = outages
    if (stage === undefined || outage === undefined) return
    let sent = 0
    const { client } = stage.instance
    const send: typeof client.send = (message) => {
      sent += 1
      return client.send(message)
    }
    const counted = { ...stage, instance: { ...stage.instance, client: { ...client, send } } }
    const begin = () => Promise.reject(new Error('The server does not stop.'))
    await expect(runOutage(counted, { ...outage, begin }, lengthMsOf(stage))).rejects.toThrow('does not stop')
    const before = sent
    const watch = watchService(stage.instance)
    for (let round = 1; round <= 10; round += 1) await tryAll(watch, watch.door, await logIn(watch, watch.door, round))
    expect(sent).toBe(before)
  })
})

describe('a firewall that forgets the one connection of a client of Redis', needs(servers), () => {
  it('stops the service until it is started again, and takes no session with it', async () => {
    const stage = stages.find(({ name }) => name === 'Redis')
    if (stage === undefined) return
    const { proxy, instance, storageTimeoutMs } = stage
    const watch = watchService(instance)
    const grant = await logIn(watch, watch.door, 1)
    await proxy.setFault({ kind: 'drop', way: 'both' })
    expect((await watch.recorder.refresh(watch.door, grant)).outcome.kind).toBe('failed')
    await proxy.setFault({ kind: 'none' })
    expect((await watch.recorder.visit(watch.door, grant)).kind).toBe('failed')

    const settings = { storageUrl: proxy.url, framework: 'node:http', options: { storageTimeoutMs } } as const
    await withInstances([settings], async ([restarted]) => {
      if (restarted === undefined) throw new Error('There is no instance.')
      const after = watchService(restarted)
      expect(await tryAll(after, after.door, grant)).toEqual(everything)
    })
  })
})

describeEach(
  kinds.filter((kind) => !isPresent(kind)),
  'the tests of this file on $name',
  () => {
    it('need its programs', () => {})
  },
)

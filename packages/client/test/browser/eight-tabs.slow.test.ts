import { createRandom, type Random } from '@jwt-auth/reliability/random'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFaults, noFaults } from './support/faults.js'
import type { TabCall } from './support/page/tab.js'
import { lifetimeSeconds, password } from './support/service.js'
import { openStage, type StageSetup, useTabBrowser } from './support/stage.js'
import { findTabBrowsers } from './support/tab-context.js'

const seeds = [1, 2]

const tabCount = 8

// Before the expiry, a call sends the old token and fetches a new one.
const expiryOffsetsSeconds = [-40, -5, 0, 300]

// In this time, each delayed exchange ends.
const quietSeconds = 20

const rotatesOnce = { mostInFlight: 1, rotations: 1 }

/** Opens eight tabs that share one session. The caller must close them. */
const openExpiringTabs = async (setup: StageSetup) => {
  const { network, device, countEvents, close } = await openStage(setup)
  const tabs = await device.openTabs(tabCount)
  await tabs[0]?.start(['login', 'ada', password])
  await device.settle()

  const readCounts = () => ({
    rotations: countEvents('session_refreshed'),
    ends: countEvents('session_ended') + countEvents('refresh_token_replayed'),
  })

  /** Starts calls in all tabs, waits for all results and returns those of failed calls. */
  const callAll = async (when: string, choose: (tab: number) => readonly TabCall[]): Promise<readonly string[]> => {
    const reads = await Promise.all(tabs.map((tab, place) => tab.start(...choose(place))))
    await device.settle()
    const results = await Promise.all(reads.map((read) => read()))
    return results.flatMap((some, place) =>
      some.filter((result) => !/^(200 |ey)/.test(result)).map((result) => `${when}, tab ${place + 1}: ${result}`),
    )
  }

  return {
    /** Lets the tokens of all tabs expire in the same moment, while the network fails at random. */
    expire: async (seed: number) => {
      const random = createRandom(seed)
      const before = readCounts()
      await device.pass(lifetimeSeconds + random.pick(expiryOffsetsSeconds))
      const nextFault = createFaults(random)
      // A proof is accepted once: of a request that arrives twice, the second response is a
      // refusal.
      network.setFaults((isRefresh) => ({
        ...nextFault(isRefresh),
        ...(setup.bind && !isRefresh && { respondsTwice: false }),
      }))
      const failed = await callAll('at the expiry', (tab) => chooseCalls(random, `${seed}.${tab}`))
      network.setFaults(noFaults)
      await device.pass(quietSeconds)
      const failedLater = await callAll('afterwards', (tab) => [['fetch', `/reports?afterwards=${seed}.${tab}`]])
      const snapshots = await Promise.all(tabs.map((tab) => tab.snapshot()))
      const after = readCounts()
      return {
        mostInFlight: network.takeMostInFlight(),
        rotations: after.rotations - before.rotations,
        logouts: after.ends - before.ends + snapshots.filter((snapshot) => snapshot !== 'authenticated ada').length,
        failures: [...failed, ...failedLater],
      }
    },
    close,
  }
}

// Each request has a URL of its own: Chromium sends requests to one URL one after the other, to
// fill its cache once.
const chooseCalls = (random: Random, name: string): readonly TabCall[] =>
  Array.from({ length: random.between(1, 3) }, (_, call) =>
    random.isOneIn(2) ? ['fetch', `/reports?request=${name}.${call}`] : ['getAccessToken'],
  )

describeEach(findTabBrowsers(), 'eight tabs of $name whose tokens expire in the same moment', ({ start }) => {
  const openProfile = useTabBrowser(start)

  describe.each([
    ['with Web Locks rotate the session once, with one refresh in flight', true, undefined, rotatesOnce],
    ['without Web Locks have working tokens afterwards', false, undefined, {}],
    ['with one key rotate the session once, with one refresh in flight', true, 'all-tokens', rotatesOnce],
  ] as const)('%s', (_, hasLocks, bind, expected) => {
    let tabs: Awaited<ReturnType<typeof openExpiringTabs>>
    beforeAll(async () => {
      tabs = await openExpiringTabs({ ...(await openProfile()), hasLocks, bind })
    })
    afterAll(() => tabs.close())

    it.each(seeds)('on a network that fails by seed %i', async (seed) => {
      expect(await tabs.expire(seed)).toMatchObject({ ...expected, logouts: 0, failures: [] })
    })
  })
})

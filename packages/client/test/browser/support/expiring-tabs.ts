import { createRandom, type Random } from '@jwt-auth/reliability/random'
import { createFaults, noFaults } from './faults.js'
import type { TabCall } from './page/tab.js'
import { lifetimeSeconds, password } from './service.js'
import { openStage, type StageSetup } from './stage.js'

/** Eight tabs that share one session. */
export interface ExpiringTabs {
  /** Lets the tokens of all tabs expire in the same moment, while the network fails at random. */
  readonly expire: (seed: number) => Promise<ExpiryResult>
  readonly close: () => Promise<void>
}

/** What happened at one expiry. */
export interface ExpiryResult {
  readonly seed: number
  readonly refreshRequests: number
  /** The largest number of refresh requests in flight. */
  readonly mostInFlight: number
  readonly rotations: number
  /** How often the server received a replaced refresh token. */
  readonly repeats: number
  /** The faults that the network caused. */
  readonly faults: number
  /** The tabs that were logged out, and the sessions that ended. */
  readonly logouts: number
  /** The calls that failed, in sentences. */
  readonly failures: readonly string[]
}

const tabCount = 8

// Before the expiry, a call sends the old token and fetches a new one.
const expiryOffsetsSeconds = [-40, -5, 0, 300]

// In this time, each delayed exchange ends.
const quietSeconds = 20

/** Opens the tabs. The caller must close them. */
export const openExpiringTabs = async (setup: StageSetup): Promise<ExpiringTabs> => {
  const { network, device, countEvents, close } = await openStage(setup)
  const tabs = await device.openTabs(tabCount)
  await tabs[0]?.start(['login', 'ada', password])
  await device.settle()

  const readCounts = () => ({
    refreshRequests: network.refreshRequests(),
    rotations: countEvents('session_refreshed'),
    repeats: countEvents('refresh_token_repeated'),
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
    expire: async (seed) => {
      const random = createRandom(seed)
      const before = readCounts()
      await device.pass(lifetimeSeconds + random.pick(expiryOffsetsSeconds))
      const faults = createFaults(random)
      network.setFaults(faults.next)
      const failed = await callAll('at the expiry', (tab) => chooseCalls(random, `${seed}.${tab}`))
      network.setFaults(noFaults)
      await device.pass(quietSeconds)
      const failedLater = await callAll('afterwards', (tab) => [['fetch', `/reports?afterwards=${seed}.${tab}`]])
      const snapshots = await Promise.all(tabs.map((tab) => tab.snapshot()))
      const after = readCounts()
      return {
        seed,
        refreshRequests: after.refreshRequests - before.refreshRequests,
        mostInFlight: network.takeMostInFlight(),
        rotations: after.rotations - before.rotations,
        repeats: after.repeats - before.repeats,
        faults: faults.count(),
        logouts: after.ends - before.ends + snapshots.filter((snapshot) => snapshot !== 'authenticated ada').length,
        failures: [...failed, ...failedLater],
      }
    },
    close,
  }
}

// Each request has a URL of its own: Chromium sends requests to one URL one after the other, to fill its cache once.
const chooseCalls = (random: Random, name: string): readonly TabCall[] =>
  Array.from({ length: random.between(1, 3) }, (_, call) =>
    random.isOneIn(2) ? ['fetch', `/reports?request=${name}.${call}`] : ['getAccessToken'],
  )

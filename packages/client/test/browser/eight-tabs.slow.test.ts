import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTab } from './support/build-tab.js'
import { type ExpiringTabs, type ExpiryResult, openExpiringTabs } from './support/expiring-tabs.js'
import { findTabBrowsers, type TabBrowser } from './support/tab-context.js'

/** The number of seeds for a report, which the test then prints. */
const reported = process.env['TAB_SEEDS']

const seeds = Array.from({ length: Number(reported ?? 3) }, (_, place) => place + 1)

const toReport = (title: string, results: readonly ExpiryResult[]): string => {
  const sum = (read: (result: ExpiryResult) => number): number => results.reduce((total, each) => total + read(each), 0)
  const mostInFlight = Math.max(...results.map((result) => result.mostInFlight))
  return `${title}: ${results.length} seeds, ${sum(({ faults }) => faults)} faults, ${sum(({ refreshRequests }) => refreshRequests)} refresh requests, ${mostInFlight} at most in flight, ${sum(({ rotations }) => rotations)} rotations, ${sum(({ logouts }) => logouts)} logouts\n`
}

describeEach(findTabBrowsers(), 'eight tabs of $name whose tokens expire in the same moment', ({ name, start }) => {
  let browser: TabBrowser
  let script: string
  beforeAll(async () => {
    browser = await start()
    script = await buildTab()
  })
  afterAll(() => browser.close())

  /** Opens the tabs for the tests of a group. */
  const open = (hasLocks: boolean) => {
    let tabs: ExpiringTabs
    const results: ExpiryResult[] = []
    beforeAll(async () => {
      tabs = await openExpiringTabs({ context: await browser.openContext(), script, hasLocks })
    })
    afterAll(async () => {
      await tabs.close()
      if (reported !== undefined)
        process.stdout.write(toReport(`${name}, ${hasLocks ? 'with' : 'without'} Web Locks`, results))
    })
    return async (seed: number): Promise<ExpiryResult> => {
      const result = await tabs.expire(seed)
      results.push(result)
      return result
    }
  }

  describe('with Web Locks', () => {
    const expire = open(true)

    it.each(seeds)(
      'rotate the session once, with one refresh in flight, on a network that fails by seed %i',
      async (seed) => {
        expect(await expire(seed)).toMatchObject({ mostInFlight: 1, rotations: 1, logouts: 0, failures: [] })
      },
    )
  })

  describe('without Web Locks', () => {
    const expire = open(false)

    it.each(seeds)('all have working tokens afterwards, on a network that fails by seed %i', async (seed) => {
      expect(await expire(seed)).toMatchObject({ logouts: 0, failures: [] })
    })
  })
})

import { findChromium } from '@jwt-auth/test-support/browser'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTab } from './support/build-tab.js'
import { type ExpiringTabs, openExpiringTabs } from './support/expiring-tabs.js'
import { fromPlaywright } from './support/tab-context.js'

const seeds = Array.from({ length: 10 }, (_, place) => place + 1)

describeEach([findChromium()], 'eight tabs of $name whose tokens expire in the same moment', ({ launch }) => {
  let browser: Browser
  let script: string
  beforeAll(async () => {
    browser = await launch()
    script = await buildTab()
  })
  afterAll(() => browser.close())

  /** Opens the tabs for the tests of a group. */
  const open = (hasLocks: boolean) => {
    let tabs: ExpiringTabs
    beforeAll(async () => {
      tabs = await openExpiringTabs({ context: fromPlaywright(await browser.newContext()), script, hasLocks })
    })
    afterAll(() => tabs.close())
    return (seed: number) => tabs.expire(seed)
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

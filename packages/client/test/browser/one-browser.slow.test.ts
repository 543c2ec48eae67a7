import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { buildTab } from './support/build-tab.js'
import type { Tab } from './support/device.js'
import type { Fault } from './support/faults.js'
import { noFaults } from './support/faults.js'
import type { TabCall } from './support/page/tab.js'
import { lifetimeSeconds, password } from './support/service.js'
import { openStage } from './support/stage.js'
import { findTabBrowsers, type TabBrowser } from './support/tab-context.js'

const loginAs = (username: string): TabCall => ['login', username, password]

const hours = 3_600

describeEach(findTabBrowsers(), 'the tabs of $name', ({ start }) => {
  let browser: TabBrowser
  let script: string
  beforeAll(async () => {
    browser = await start()
    script = await buildTab()
  })
  afterAll(() => browser.close())

  /** Opens three tabs, in which Ada is logged in. */
  const openTabs = async () => {
    const context = await browser.openContext()
    const stage = await openStage({ context, script })
    onTestFinished(stage.close)
    const { device, network } = stage
    const tabs = await device.openTabs(3)
    const [first, second] = tabs
    if (!first || !second) throw new Error('Too few tabs.')
    await first.start(loginAs('ada'))
    await device.settle()

    let requests = 0
    /** Starts calls in the tabs, with a URL of its own for each request, and waits for the results. */
    const callAll = async (count = 1) => {
      const start = (tab: Tab) =>
        tab.start(...Array.from({ length: count }, () => ['fetch', `/reports?${++requests}`] as const))
      const reads = await Promise.all(tabs.map(start))
      await device.settle()
      return new Set((await Promise.all(reads.map((read) => read()))).flat())
    }
    /** Lets the next refreshes fail, one for each fault. */
    const planFaults = (...faults: Fault[]) =>
      network.setFaults((isRefresh) => (isRefresh && faults.shift()) || noFaults(isRefresh))
    const snapshots = async () => new Set(await Promise.all(tabs.map((tab) => tab.snapshot())))
    return { ...stage, context, tabs, first, second, callAll, planFaults, snapshots }
  }

  describe('after a logout in one of them', () => {
    it('are all logged out, and the session has ended', async () => {
      const { device, service, second, callAll, snapshots } = await openTabs()

      await second.start(['logout'])
      await device.settle()

      expect(await snapshots()).toEqual(new Set(['unauthenticated']))
      expect([...(await callAll())]).toEqual([expect.stringMatching('^401 .*jwt_auth_no_auth_header')])
      expect(await service.countSessions('ada')).toBe(0)
    })

    it('stay logged out when a refresh was in flight', async () => {
      const { device, service, first, second, planFaults, snapshots } = await openTabs()
      await device.pass(lifetimeSeconds)
      planFaults({ delayResponseMs: 5_000 })

      await first.start(['fetch', '/reports'])
      await device.pass(1)
      await second.start(['logout'])
      await device.settle()
      await device.pass(10)

      expect(await snapshots()).toEqual(new Set(['unauthenticated']))
      expect(await service.countSessions('ada')).toBe(0)
    })

    it('are logged out without a network, and the session ends when the network is back', async () => {
      const { device, service, context, second, snapshots } = await openTabs()
      await context.setOffline(true)

      await second.start(['logout'])
      await device.settle()
      expect(await snapshots()).toEqual(new Set(['unauthenticated']))
      expect(await service.countSessions('ada')).toBe(1)

      await context.setOffline(false)
      await device.pass(60)
      expect(await service.countSessions('ada')).toBe(0)
    })
  })

  describe('after a login as another user in one of them', () => {
    it('all have the other user', async () => {
      const { device, second, callAll, snapshots } = await openTabs()

      await second.start(loginAs('brian'))
      await device.settle()

      expect(await snapshots()).toEqual(new Set(['authenticated brian']))
      expect(await callAll()).toEqual(new Set(['200 {"userId":2}']))
    })

    it('drop the refresh of the former user, and fail its calls', async () => {
      const { device, first, second, planFaults, callAll, snapshots } = await openTabs()
      await device.pass(lifetimeSeconds)
      planFaults({ delayResponseMs: 5_000 })

      const readFormer = await first.start(['fetch', '/reports?former'])
      await device.pass(1)
      await second.start(loginAs('brian'))
      await device.settle()
      await device.pass(10)

      expect(await readFormer()).toEqual(['error: session_changed'])
      expect(await snapshots()).toEqual(new Set(['authenticated brian']))
      expect(await callAll()).toEqual(new Set(['200 {"userId":2}']))
    })
  })

  describe('that wake up after eight hours', () => {
    it('send one refresh, not one for each of their five waiting requests', async () => {
      const { device, network, countEvents, callAll } = await openTabs()
      device.sleep(8 * hours)

      expect(await callAll(5)).toEqual(new Set(['200 {"userId":1}']))
      expect([network.refreshRequests(), countEvents('session_refreshed')]).toEqual([1, 1])
    })

    it('repeat a refresh that the sleep interrupted before it arrived', async () => {
      const { device, first, countEvents, planFaults, callAll } = await openTabs()
      await device.pass(lifetimeSeconds)
      planFaults({ delayRequestMs: 1_000, loses: 'request' })

      const read = await first.start(['fetch', '/reports?before'])
      await device.pass(0.5)
      device.sleep(8 * hours)

      expect(await callAll()).toEqual(new Set(['200 {"userId":1}']))
      expect(await read()).toEqual(['200 {"userId":1}'])
      // Chromium itself may send the request again. The client then counts the age of the tokens from before the sleep, and refreshes
      // once more.
      expect(countEvents('session_refreshed')).toBeLessThanOrEqual(2)
    })

    it('are logged out if the sleep began between a refresh and its response, because their token was replaced hours ago', async () => {
      const { device, first, planFaults, callAll, snapshots } = await openTabs()
      await device.pass(lifetimeSeconds)
      planFaults({ delayResponseMs: 1_000, loses: 'response' })

      await first.start(['fetch', '/reports?before'])
      await device.pass(0.5)
      device.sleep(8 * hours)
      await callAll()

      expect(await snapshots()).toEqual(new Set(['unauthenticated']))
    })
  })

  describe('without a network', () => {
    it('refresh once when the network is back', async () => {
      const { device, network, context, countEvents, tabs } = await openTabs()
      await device.pass(lifetimeSeconds)
      await context.setOffline(true)
      const reads = await Promise.all(tabs.map((tab, place) => tab.start(['fetch', `/reports?offline=${place}`])))
      await device.pass(5)
      await context.setOffline(false)
      await device.settle()

      expect((await Promise.all(reads.map((read) => read()))).flat()).toEqual(tabs.map(() => '200 {"userId":1}'))
      expect([network.refreshRequests(), countEvents('session_refreshed')]).toEqual([1, 1])
    })

    it('stay logged in while calls fail, for as long as it takes', async () => {
      const { device, context, callAll, snapshots } = await openTabs()
      await device.pass(lifetimeSeconds)
      await context.setOffline(true)

      expect(await callAll()).toEqual(new Set(['error: network_error']))
      await device.pass(hours)
      expect(await snapshots()).toEqual(new Set(['authenticated ada']))

      await context.setOffline(false)
      expect(await callAll()).toEqual(new Set(['200 {"userId":1}']))
    })
  })

  it('cancel a refresh that takes too long, so that it occupies no connection', async () => {
    const { device, network, first, planFaults } = await openTabs()
    await device.pass(lifetimeSeconds)
    planFaults({ delayResponseMs: 60_000 })

    await first.start(['fetch', '/reports'])
    await device.settle()

    expect([network.refreshRequests(), network.read().held]).toEqual([2, 0])
  })
})

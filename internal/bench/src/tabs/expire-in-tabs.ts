import type { findChromium } from '@jwt-auth/test-support/browser'
import { password } from '../world/sample-user.js'
import { serveTabs } from './serve-tabs.js'
import { lifetimeSeconds, type TabClient } from './tab-client.js'

/** What happened when the access tokens of all tabs expired. */
export interface Expiry {
  readonly refreshes: number
  /** How many tabs received their response. */
  readonly served: number
  readonly isLoggedOut: boolean
}

type Chromium = Awaited<ReturnType<ReturnType<typeof findChromium>['launch']>>

const tabs = 8

// The clock of a page, which the bench sets forward. Timers continue to run on the real clock.
const clockScript = `
const RealDate = Date
let shiftMs = 0
globalThis.Date = class extends RealDate {
  constructor(...args) { super(...(args.length > 0 ? args : [RealDate.now() + shiftMs])) }
  static now() { return RealDate.now() + shiftMs }
}
globalThis.setForward = (ms) => { shiftMs = ms }
globalThis.requestAt = async (instant) => {
  await new Promise((resolve) => setTimeout(resolve, instant - RealDate.now()))
  return tabPage.request().catch(() => 0)
}`
const noLocksScript = `Object.defineProperty(Navigator.prototype, 'locks', { value: undefined })`

/** Opens eight tabs of one browser, lets all access tokens expire, and sends one request from each tab at the same moment. */
export const expireInTabs = async (chromium: Chromium, client: TabClient, script: string): Promise<Expiry> => {
  let shiftMs = 0
  const server = await client.createServer(() => Date.now() + shiftMs)
  const served = await serveTabs(script, server)
  const context = await chromium.newContext()
  try {
    await context.addInitScript(clockScript)
    if (client.hasLocks === false) await context.addInitScript(noLocksScript)
    const open = async () => {
      const page = await context.newPage()
      await page.goto(served.origin)
      await page.waitForFunction('globalThis.tabPage !== undefined')
      return page
    }
    const first = await open()
    await first.evaluate(`tabPage.logIn('user-1', '${password}')`)
    const others = await Promise.all(Array.from({ length: tabs - 1 }, open))
    const pages = [first, ...others]
    const requestInAll = async (): Promise<number> => {
      const instant = Date.now() + 500
      const statuses = await Promise.all(pages.map((page) => page.evaluate(`requestAt(${instant})`)))
      return statuses.filter((status) => status === 200).length
    }
    if ((await requestInAll()) < tabs) throw new Error(`${client.title} does not log all tabs in.`)

    const before = served.countRefreshes()
    shiftMs = (lifetimeSeconds + 1) * 1_000
    await Promise.all(pages.map((page) => page.evaluate(`setForward(${shiftMs})`)))
    return {
      served: await requestInAll(),
      refreshes: served.countRefreshes() - before,
      isLoggedOut: !(await server.hasSession()),
    }
  } finally {
    await context.close()
    served.close()
  }
}

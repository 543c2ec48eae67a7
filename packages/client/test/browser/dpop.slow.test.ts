import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it, onTestFinished } from 'vitest'
import type { Tab } from './support/device.js'
import type { TabCall } from './support/page/tab.js'
import { lifetimeSeconds, password } from './support/service.js'
import { openStage, type StageSetup, toDocumentedDpopCors, useTabBrowser } from './support/stage.js'
import { findTabBrowsers, type TabPage } from './support/tab-context.js'

/** Reads the keys in IndexedDB, and tries to export each. */
const readKeys = (page: TabPage): Promise<unknown> =>
  page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('jwt-auth')
    opening.onsuccess = () => {
      const reading = opening.result.transaction('keys').objectStore('keys').getAll()
      reading.onsuccess = () => resolve(Promise.all(reading.result.flat().map(async ({ thumbprint, privateKey }) => [
        thumbprint,
        await crypto.subtle.exportKey('jwk', privateKey).then(() => 'exported', ({ name }) => name),
      ])))
    }
  })`)

describeEach(findTabBrowsers(), 'sessions in $name that are bound to a key', ({ start }) => {
  const openProfile = useTabBrowser(start, ['app.example.test', 'api.example.test'])

  const openOne = async (setup: Partial<StageSetup>, count = 1) => {
    const stage = await openStage({ ...(await openProfile()), ...setup })
    onTestFinished(stage.close)
    const { device } = stage
    const tabs = await device.openTabs(count)
    const run = async (tab: Tab | undefined, call: TabCall) => {
      const read = await tab?.start(call)
      await device.settle()
      return read?.()
    }
    const [first] = tabs
    if (!first) throw new Error('Too few tabs.')
    return { ...stage, tabs, first, run }
  }
  const open = async (setup: Partial<StageSetup>) => {
    const stage = await openOne(setup, 2)
    const second = stage.tabs[1]
    if (!second) throw new Error('Too few tabs.')
    await stage.run(stage.first, ['login', 'ada', password])
    return { ...stage, second }
  }

  it.each([
    ['refresh-tokens', 'body'],
    ['all-tokens', 'body'],
    ['all-tokens', 'cookie'],
  ] as const)(
    'have one key in all tabs that no script can export, until the logout, with bind %s and the transport %s',
    async (bind, transport) => {
      const { device, first, second, run, service } = await open({ bind, transport })
      const thumbprint = await first.thumbprint()
      expect([await second.thumbprint(), await readKeys(first.page)]).toEqual([
        thumbprint,
        [[thumbprint, 'InvalidAccessError']],
      ])

      for (const seconds of [0, lifetimeSeconds]) {
        await device.pass(seconds)
        await second.reload()
        expect(await run(second, ['fetch', '/reports'])).toEqual(['200 {"userId":1}'])
        expect(await second.thumbprint()).toBe(thumbprint)
      }

      await run(first, ['login', 'brian', password])
      const next = await first.thumbprint()
      expect([next === thumbprint, await readKeys(second.page)]).toEqual([false, [[next, 'InvalidAccessError']]])

      await run(second, ['logout'])
      expect([await readKeys(first.page), await first.snapshot(), await service.countSessions('brian')]).toEqual([
        [],
        'unauthenticated',
        0,
      ])
    },
  )

  it('work with a service on another origin, with the documented CORS', async () => {
    const { first, run, device, service } = await open({
      bind: 'all-tokens',
      isSecure: true,
      pageHost: 'app.example.test',
      serviceHost: 'api.example.test',
      toCors: toDocumentedDpopCors,
    })
    expect(await run(first, ['fetch', '/reports'])).toEqual(['200 {"userId":1}'])
    await device.pass(lifetimeSeconds)

    expect(await run(first, ['fetch', '/reports?again'])).toEqual(['200 {"userId":1}'])
    await run(first, ['logout'])
    expect(await service.countSessions('ada')).toBe(0)
  })

  it('start without a key where another page prevents the deletion of the database, and with a key afterwards', async () => {
    const { context, script } = await openProfile()
    const { first, run, device, originOf, service } = await openOne({ bind: 'all-tokens', context, script })
    const other = await context.openPage()
    await other.goto(originOf('127.0.0.1'))
    await other.evaluate(`new Promise((resolve) => {
      const opening = indexedDB.open('jwt-auth')
      opening.onsuccess = () => {
        indexedDB.deleteDatabase('jwt-auth').onblocked = resolve
      }
    }).then(() => {})`)
    // Without the watch of the test, for which a connection in progress never ends.
    await first.page.evaluate('void delete indexedDB.open')

    expect(await run(first, ['login', 'ada', password])).toEqual(['ada'])
    await device.pass(lifetimeSeconds)
    expect([await run(first, ['fetch', '/reports']), await first.thumbprint()]).toEqual([
      ['200 {"userId":1}'],
      undefined,
    ])

    await other.close()
    await first.reload()
    expect(await run(first, ['login', 'brian', password])).toEqual(['brian'])
    expect(await first.thumbprint()).toMatch(/^[\w-]{43}$/)
    expect(await service.countSessions('brian')).toBe(1)
  })

  it.each(['body', 'cookie'] as const)(
    'continue in a page that returns from the back/forward cache after their tokens and nonces have expired: %s',
    async (transport) => {
      const { first, run, device } = await openOne({ bind: 'all-tokens', transport })
      await run(first, ['login', 'ada', password])
      const thumbprint = await first.thumbprint()
      await first.page.evaluate(`addEventListener('pageshow', ({ persisted }) => {
        globalThis.isFromCache = persisted
      })`)
      await first.page.goto('about:blank')
      await first.page.evaluate('history.back()').catch(() => {})
      await expect.poll(() => first.page.evaluate('globalThis.isFromCache').catch(() => false)).toBe(true)
      await device.pass(lifetimeSeconds)

      expect(await run(first, ['fetch', '/reports'])).toEqual(['200 {"userId":1}'])
      expect([await first.thumbprint(), await readKeys(first.page)]).toEqual([
        thumbprint,
        [[thumbprint, 'InvalidAccessError']],
      ])
    },
  )
})

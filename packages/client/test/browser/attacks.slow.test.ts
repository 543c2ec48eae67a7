import { findChromium } from '@jwt-auth/test-support/browser'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { readMember } from '@jwt-auth/test-support/read-json'
import type { CorsOptions } from 'cors'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Tab } from './support/device.js'
import type { SeenRequest } from './support/network.js'
import { password } from './support/service.js'
import { buildTab, openStage, type Stage, toDocumentedCors } from './support/stage.js'
import { fromPlaywright } from './support/tab-context.js'

const appHost = 'app.example.test'
const apiHost = 'api.example.test'
const otherSite = 'attack.test'
const sibling = 'blog.example.test'

const cookieName = '__Host-jwt_auth_refresh_token'
const hosts = [otherSite, sibling]

/** Returns what the service sees of a request of a host. */
const toOrigin = (host: string) =>
  host === sibling ? { hasCookie: true, site: 'same-site' } : { hasCookie: false, site: 'cross-site' }

const credentials = JSON.stringify({ username: 'mallory', password })

/** What a page of the attacker does. */
interface Attack {
  /** Returns the script of the page. `api` is the URL of the routes. */
  readonly script: (api: string) => string
  /** Whether the response replaces the page. */
  readonly isForm?: boolean
}

// A form with one field. The body is `name=value`, in the encoding of the form.
const sendForm = (path: string, enctype: string, [name, value]: readonly [string, string]): Attack => ({
  isForm: true,
  script: (api) => `{
    const form = document.createElement('form')
    Object.assign(form, ${JSON.stringify({ method: 'POST', action: api + path, enctype })})
    const field = document.createElement('input')
    Object.assign(field, ${JSON.stringify({ name, value })})
    form.append(field)
    document.body.append(form)
    form.submit()
  }`,
})

const sendFetch = (path: string, init: object): Attack => ({
  script: (api) =>
    `fetch(${JSON.stringify(api + path)}, ${JSON.stringify({ method: 'POST', credentials: 'include', ...init })})
      .then(({ status }) => status, ({ name }) => name)`,
})

const addElement = (tag: string, path: string): Attack => ({
  script: (api) => `new Promise((resolve) => {
    const element = document.createElement(${JSON.stringify(tag)})
    element.onload = element.onerror = () => resolve(true)
    element.src = ${JSON.stringify(api + path)}
    document.body.append(element)
  })`,
})

const withHeader = (body: string) => ({
  headers: { 'Content-Type': 'application/json', 'X-JWT-Auth-Transport': 'cookie' },
  body,
})

const simpleForm = 'application/x-www-form-urlencoded'

/** The body of a text form is `name=value`: the value closes the JSON that the name opens. */
const jsonInText = [`${credentials.slice(0, -1)},"rest":"`, '"}'] as const

const attacks: readonly (readonly [name: string, attack: Attack, status: number])[] = [
  ['a form that refreshes', sendForm('/token/refresh', simpleForm, ['a', 'b']), 415],
  ['a form that logs in as somebody else', sendForm('/token', 'text/plain', jsonInText), 415],
  ['a fetch without a body that refreshes', sendFetch('/token/refresh', { mode: 'no-cors' }), 400],
  ['a fetch of text that logs in', sendFetch('/token', { mode: 'no-cors', body: credentials }), 415],
  ['a fetch of text that revokes', sendFetch('/token/revoke', { mode: 'no-cors' }), 401],
  ['an image', addElement('img', '/token/refresh'), 405],
  ['an iframe', addElement('iframe', '/token/refresh'), 405],
]

const attacksWithHeader: readonly (readonly [name: string, attack: Attack])[] = [
  ['refreshes', sendFetch('/token/refresh', withHeader('{}'))],
  ['logs in as somebody else', sendFetch('/token', withHeader(credentials))],
]

describeEach([findChromium()], 'refresh tokens in the cookies of $name, attacked', ({ launch }) => {
  let browser: Browser
  let script: string
  beforeAll(async () => {
    browser = await launch([
      '--host-resolver-rules=MAP *.test 127.0.0.1',
      '--disable-features=LocalNetworkAccessChecks',
    ])
    script = await buildTab()
  })
  afterAll(() => browser.close())

  /** Opens a tab in which Ada is logged in, for all tests of a group. */
  const openVictim = (toCors: (pageOrigin: string) => CorsOptions) => {
    let context: BrowserContext
    let stage: Stage
    let victim: Tab
    beforeAll(async () => {
      context = await browser.newContext({ ignoreHTTPSErrors: true })
      stage = await openStage({
        context: fromPlaywright(context),
        script,
        isSecure: true,
        transport: 'cookie',
        pageHost: appHost,
        serviceHost: apiHost,
        toCors,
      })
      const [tab] = await stage.device.openTabs(1)
      if (!tab) throw new Error('No tab was opened.')
      victim = tab
      await victim.start(['login', 'ada', password])
      await stage.device.settle()
    })
    afterAll(() => stage.close())

    /**
     * Runs a script on the page of a host. Returns the requests that arrived, when there are any.
     */
    const attack = async (host: string, { script, isForm = false }: Attack): Promise<readonly SeenRequest[]> => {
      const { network, originOf } = stage
      const before = network.requests.length
      const page = await context.newPage()
      await page.goto(originOf(host))
      const end = page.evaluate(script(`${originOf(apiHost)}/jwt-auth/v1`))
      // A form replaces the page, which then may never return.
      await (isForm ? page.waitForURL(/jwt-auth/, { waitUntil: 'commit' }) : end)
      end.catch(() => {})
      await expect.poll(() => network.requests.length).toBeGreaterThan(before)
      const seen = network.requests.slice(before)
      // Chromium sometimes never confirms that it closed a page whose form was just submitted. The
      // context closes the page.
      if (!isForm) await page.close()
      return seen
    }

    /** Checks that the victim's session is as before. */
    const expectUnharmed = async () => {
      const { device } = stage
      await victim.reload()
      await device.pass(1)
      expect(await victim.snapshot()).toBe('authenticated ada')
    }
    return { attack, expectUnharmed, readStage: () => ({ ...stage, context, victim }) }
  }

  const isPost = ({ method }: SeenRequest): boolean => method === 'POST'

  describe('on a service with the documented CORS', () => {
    const { attack, expectUnharmed, readStage } = openVictim(toDocumentedCors)

    it.each(hosts.flatMap((host) => attacks.map((attack) => [host, ...attack] as const)))(
      'from %s: %s fails, and another site has no cookie',
      async (host, _, planned, status) => {
        const [seen] = await attack(host, planned)

        expect(seen).toMatchObject({ ...toOrigin(host), status, setsCookie: false })
        await expectUnharmed()
      },
    )

    it.each(hosts.flatMap((host) => attacksWithHeader.map((attack) => [host, ...attack] as const)))(
      'a fetch of %s with the header that %s is not sent, because CORS does not allow the origin',
      async (host, _, planned) => {
        const seen = await attack(host, planned)

        expect(seen.map(({ method, hasCookie }) => [method, hasCookie])).toEqual([['OPTIONS', false]])
        await expectUnharmed()
      },
    )

    it('the page in an iframe of another site has no session, and does not end that of the user', async () => {
      const { context, originOf, network, device, victim } = readStage()
      const before = network.requests.length
      const page = await context.newPage()
      await page.goto(originOf(otherSite))
      await page.evaluate(addElement('iframe', '/').script(originOf(appHost)))
      const findFrame = () => page.frames().find((one) => one.url().startsWith(originOf(appHost)))
      await expect.poll(findFrame).toBeDefined()
      const frame = findFrame()
      const options = { baseUrl: `${originOf(apiHost)}/jwt-auth/v1`, transport: 'cookie', seed: 1 }
      await frame?.evaluate(`tab.open(${JSON.stringify({ ...options, clock: { wallMs: 0, monotonicMs: 0 } })})`)
      let now = 0
      // The time stands still during a request, which the client would repeat after its timeout.
      const passSecond = async () => {
        const clock = JSON.stringify({ wallMs: now, monotonicMs: now })
        const state = await frame?.evaluate(`({ ...tab.setClock(${clock}), snapshot: tab.snapshot() })`)
        if (readMember(state, 'requests') === 0) now += 1_000
        return readMember(state, 'snapshot')
      }
      await expect.poll(passSecond).toBe('unauthenticated')

      const refreshes = network.requests.slice(before).filter(({ method }) => method === 'POST')
      expect(refreshes).toMatchObject([{ status: 403, hasCookie: false }])
      await page.close()
      await device.settle()
      expect(await victim.snapshot()).toBe('authenticated ada')
      await expectUnharmed()
    })

    it('a cookie of another host of the site does not replace the cookie', async () => {
      const { context, originOf } = readStage()
      const page = await context.newPage()
      await page.goto(originOf(sibling))
      const attributes = 'Domain=example.test; Path=/; Secure'
      for (const name of [cookieName, cookieName.toLowerCase(), `=${cookieName}`, ` ${cookieName}`, '__Secure-other']) {
        await page.evaluate(`document.cookie = ${JSON.stringify(`${name}=jwtauth_rt_mallory; ${attributes}`)}`)
      }

      const cookies = await context.cookies(originOf(apiHost))
      // The last one shows that another name would have worked.
      expect(cookies.map(({ name, domain }) => [name, domain])).toEqual([
        [cookieName, apiHost],
        ['__Secure-other', '.example.test'],
      ])
      await page.close()
      await expectUnharmed()
    })
  })

  describe('on a service whose CORS allows every origin', () => {
    const { attack, expectUnharmed } = openVictim(() => ({ origin: true, credentials: true }))

    it.each(hosts.flatMap((host) => attacksWithHeader.map((attack) => [host, ...attack] as const)))(
      'a fetch of %s with the header that %s is refused',
      async (host, _, planned) => {
        const seen = (await attack(host, planned)).filter(isPost)

        expect(seen).toMatchObject([{ ...toOrigin(host), status: 403, setsCookie: false }])
        await expectUnharmed()
      },
    )
  })
})

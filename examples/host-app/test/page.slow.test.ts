import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findChromium } from '@jwt-auth/test-support/browser'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { demo, logIn, startSite } from './support/site.js'

const chromium = findChromium()
const script = fileURLToPath(new URL('../../../scripts/build-client.mjs', import.meta.url))

/** Opens the page in a narrow, dark window. When the test ends, the page must have thrown no error and broken no rule of its policy. */
const openPage = async (url: string, printed: string[]): Promise<Page> => {
  const browser = await chromium.launch()
  const page = await browser.newPage({ colorScheme: 'dark', viewport: { width: 320, height: 640 } })
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(message))
  page.on('console', (message) => {
    printed.push(message.text())
    if (message.text().includes('Content Security Policy')) faults.push(message.text())
  })
  onTestFinished(async () => {
    await browser.close()
    expect(faults).toEqual([])
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  return page
}

const expectText = (page: Page, selector: string) => expect.poll(() => page.locator(selector).textContent())

/** Returns what axe finds, and whether the page is wider than the window. */
const findFaults = async (page: Page): Promise<unknown> => {
  await page.evaluate(axe.source)
  return page.evaluate(`axe.run().then(({ violations }) => [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)),
    ...(document.documentElement.scrollWidth > innerWidth ? ['wider than the window'] : []),
  ])`)
}

describeEach([chromium], 'the page in $name', () => {
  beforeAll(() => promisify(execFile)(process.execPath, [script]))

  it('logs in, survives a reload, calls a guarded route, lists and ends sessions, and logs out', async () => {
    const { origin, request } = await startSite({ BASE_PATH: '/shop/wp-json', REFRESH_GRACE_SECONDS: '1' })
    await logIn(request)
    const printed: string[] = []
    const page = await openPage(`${origin}/shop/wp-json/`, printed)
    const click = (name: string) => page.getByRole('button', { name }).first().click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await findFaults(page)).toEqual([])
    expect(printed).toEqual([])
    expect(await page.locator('[aria-current]').textContent()).toBe('In an HttpOnly cookie')

    await page.getByLabel('User name').fill(demo.username)
    await page.getByLabel('Password', { exact: true }).fill(demo.password)
    let passOn = () => {}
    const passed = new Promise<void>((resolve) => {
      passOn = resolve
    })
    await page.route('**/token', (route) => passed.then(() => route.continue()))
    await click('Sign in')
    expect(await page.evaluate(`getComputedStyle(document.querySelector('#sign-in button'), '::after').content`)).toBe(
      '" …"',
    )
    passOn()
    await expectText(page, '#who').toBe('Signed in as Demo User')
    await page.reload()
    await expectText(page, '#who').toBe('Signed in as Demo User')
    await click('Call a guarded route')
    await expectText(page, '#route-result').toContain('→ 200')

    await expect.poll(() => page.locator('#devices > li').count()).toBe(2)
    await click('End all others')
    await expect.poll(() => page.locator('#devices > li').count()).toBe(1)

    await page.getByLabel('Your password').fill(demo.password)
    await click('Open a second session')
    for (const experiment of ['Lose a response', 'Refresh five times', 'Use an old token']) await click(experiment)
    await expectText(page, '#steps').toContain('ended: refresh_token_replayed')
    expect(await findFaults(page)).toEqual([])

    await page.getByLabel('Current password').fill(demo.password)
    await page.getByLabel('New password').fill('a new passphrase')
    await click('Change the password')
    await expectText(page, '#notice').toContain('The password has changed.')
    await click('Sign out')
    await expectText(page, '#who').toBe('Signed out')
    await page.reload()
    await expectText(page, '#who').toBe('Signed out')
  })
})

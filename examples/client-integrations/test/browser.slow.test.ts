import { findChromium } from '@jwt-auth/test-support/browser'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundlePages } from './support/bundle-pages.js'
import { credentials, startExample } from './support/start-example.js'

type Chromium = Awaited<ReturnType<ReturnType<typeof findChromium>['launch']>>

describeEach([findChromium()], 'an example in $name', ({ launch }) => {
  let chromium: Chromium
  let servePage: Awaited<ReturnType<typeof bundlePages>>

  beforeAll(async () => {
    ;[chromium, servePage] = await Promise.all([launch(), bundlePages()])
  })
  afterAll(() => chromium.close())

  const open = async (example: string) => {
    const server = await startExample(servePage, 'all-tokens')
    const context = await chromium.newContext({ baseURL: server.origin })
    onTestFinished(() => context.close())
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', ({ message }) => errors.push(message))
    await page.goto(`/${example}`)
    return {
      server,
      page,
      openTab: () => context.newPage(),
      errors,
      logIn: async (password: string) => {
        await page.getByLabel('User name').fill(credentials.username)
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Log in' }).click()
      },
      showReport: () => page.getByRole('button', { name: 'Show report' }).click(),
      report: page.getByText('Report of may for user 1'),
    }
  }

  describe.each([
    ['plain', false],
    ['react', true],
    ['vue', false],
    ['tanstack-query', true],
  ])('%s, bound to a key: %s', (example, isBound) => {
    it('logs in, shows a report, refreshes an expired token once, and logs out', async () => {
      const { server, page, errors, logIn, showReport, report } = await open(example)

      await logIn(credentials.password)
      await page.getByText('Ada Lovelace').waitFor()
      await showReport()
      await report.waitFor()
      expect([server.countRefreshes(), await server.listBound()]).toEqual([0, [isBound]])

      server.expireAccessTokens()
      const response = page.waitForResponse((one) => one.url().endsWith('/reports/may') && one.ok())
      await showReport()
      await response
      await report.waitFor()
      // The server also asks for a proof with a new nonce.
      expect(server.countRefreshes()).toBe(isBound ? 2 : 1)

      await page.getByRole('button', { name: 'Log out' }).click()
      await page.getByLabel('User name').waitFor()
      expect(await page.getByText('Ada Lovelace').or(report).isVisible()).toBe(false)
      await expect.poll(server.countSessions).toBe(0)
      expect(errors).toEqual([])
    })

    it('says that a password is wrong', async () => {
      const { page, logIn } = await open(example)

      await logIn('a wrong password')

      await page.getByRole('alert').getByText('Invalid credentials.').waitFor()
    })

    it('shows the form in all tabs when the session has ended', async () => {
      const { server, page, openTab, logIn, showReport } = await open(example)
      await logIn(credentials.password)
      await page.getByText('Ada Lovelace').waitFor()
      const tab = await openTab()
      await tab.goto(`/${example}`)
      await tab.getByText('Ada Lovelace').waitFor()

      await server.endSessions()
      await showReport()

      await page.getByLabel('User name').waitFor()
      await tab.getByLabel('User name').waitFor()
    })
  })
})

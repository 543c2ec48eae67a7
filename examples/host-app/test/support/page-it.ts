import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findChromium } from '@jwt-auth/test-support/browser'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { it as siteIt } from './it.js'
import type { Site } from './site.js'

/** What a test in a browser can open. */
interface Fixtures {
  readonly browser: Browser
  /** Opens the page of a site in a new profile of the browser. When the test ends, the page must not have broken a rule. */
  readonly openPage: (site: Site, options?: PageOptions) => Promise<Page>
}

interface PageOptions extends BrowserContextOptions {
  /** @default '' */
  readonly basePath?: string
}

export const chromium = findChromium()

const script = fileURLToPath(new URL('../../../../scripts/build-client.mjs', import.meta.url))

/** Builds the client that the page loads, unless the build is newer than the sources. */
export const buildClient = async (): Promise<void> => {
  await promisify(execFile)(process.execPath, [script])
}

/** Tests of the host app in a browser. */
export const it = siteIt.extend<Fixtures>({
  browser: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this parameter.
    async ({}, use) => {
      const browser = await chromium.launch()
      await use(browser)
      await browser.close()
    },
    { scope: 'file' },
  ],

  openPage: ({ browser, onTestFinished }, use) =>
    use(async ({ origin }, { basePath = '', ...options } = {}) => {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      const faults = await watchPage(page, origin)
      onTestFinished(async () => {
        await context.close()
        expect(faults).toStrictEqual([])
      })
      await page.goto(`${origin}${basePath}/`)
      return page
    }),
})

/** Collects uncaught errors, violations of the content security policy, and requests to other origins. */
const watchPage = async (page: Page, origin: string): Promise<readonly string[]> => {
  const faults: string[] = []
  page.on('pageerror', ({ message }) => faults.push(`error: ${message}`))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`)) faults.push(`request: ${request.url()}`)
  })
  page.on('console', (message) => {
    if (message.text().startsWith('policy: ')) faults.push(message.text())
  })
  await page.addInitScript(
    "addEventListener('securitypolicyviolation', (event) => console.log('policy: ' + event.violatedDirective + ' ' + event.blockedURI))",
  )
  return faults
}

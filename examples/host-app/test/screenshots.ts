import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findChromium } from '@jwt-auth/test-support/browser'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { demo } from './support/client.js'
import { openSecondSession, signIn } from './support/page-actions.js'
import { openSiteOn } from './support/site.js'

// `npm run screenshots` writes the pictures of the README.
const folder = fileURLToPath(new URL('../../../docs/images', import.meta.url))

const desktop: BrowserContextOptions = { viewport: { width: 1_000, height: 700 } }

const site = await openSiteOn('memory:', { REFRESH_GRACE_SECONDS: '1' })

const runExperiments = async (page: Page): Promise<void> => {
  await openSecondSession(page)
  await page.getByRole('button', { name: 'Lose a response' }).click()
  await page.locator('#steps li').nth(2).waitFor()
  await page.getByRole('button', { name: 'Refresh five times' }).click()
  await page.locator('#steps li').nth(3).waitFor()
  await page.getByRole('button', { name: 'Use an old token' }).click()
  await page.getByText('The session has ended').waitFor()
}

interface Picture {
  readonly name: string
  readonly options: BrowserContextOptions
  /** Resolves to where the picture starts. */
  readonly prepare: (page: Page) => Promise<string>
}

const pictures: readonly Picture[] = [
  { name: 'page-signed-out', options: desktop, prepare: async () => 'header' },
  {
    name: 'page-signed-in',
    options: desktop,
    prepare: async (page) => {
      const json = { username: demo.username, password: demo.password }
      await site.send('POST', '/jwt-auth/v1/token', { json, userAgent: 'curl/8.5.0' })
      await signIn(page, 'cookie')
      await page.getByRole('button', { name: 'Call a guarded route' }).click()
      await page.locator('#route-result').waitFor()
      return 'header'
    },
  },
  {
    name: 'page-dark',
    options: { viewport: { width: 1_000, height: 780 }, colorScheme: 'dark' },
    prepare: async (page) => {
      await signIn(page, 'cookie')
      await runExperiments(page)
      return '#experiments-title'
    },
  },
  {
    name: 'page-phone',
    options: { viewport: { width: 390, height: 780 } },
    prepare: async (page) => {
      await signIn(page, 'body')
      await runExperiments(page)
      return '#life-title'
    },
  },
]

const browser = await findChromium().launch()
try {
  await mkdir(folder, { recursive: true })
  for (const { name, options, prepare } of pictures) {
    const context = await browser.newContext({ ...options, locale: 'en-GB', reducedMotion: 'reduce' })
    const page = await context.newPage()
    await page.goto(`${site.origin}/`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const start = await prepare(page)
    await page.evaluate(
      `document.querySelector('${start}').scrollIntoView(); scrollBy(0, -24); document.activeElement.blur()`,
    )
    await page.screenshot({ path: join(folder, `${name}.png`) })
    await context.close()
    process.stdout.write(`docs/images/${name}.png\n`)
  }
} finally {
  await browser.close()
  await site.stop()
}

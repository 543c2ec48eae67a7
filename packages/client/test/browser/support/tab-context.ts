import { findChromium, findFirefox } from '@jwt-auth/test-support/browser'
import type { Prerequisite } from '@jwt-auth/test-support/prerequisite'
import type { BrowserContext } from 'playwright-core'

/** A browser with any driver. */
export interface TabBrowser {
  /** Opens a new profile. */
  readonly openContext: () => Promise<TabContext>
  readonly close: () => Promise<void>
}

/** The pages of one browser profile, with any driver. */
export interface TabContext {
  readonly openPage: () => Promise<TabPage>
  readonly cookies: () => Promise<readonly { readonly name: string; readonly value: string }[]>
  readonly close: () => Promise<void>
}

/** A page of any driver. */
export interface TabPage {
  readonly goto: (url: string) => Promise<unknown>
  readonly reload: () => Promise<unknown>
  readonly close: () => Promise<unknown>
  /** Evaluates an expression, whose value is JSON. */
  readonly evaluate: (expression: string) => Promise<unknown>
}

/** Returns the context of playwright-core as a context of any driver. */
export const fromPlaywright = (context: BrowserContext): TabContext => ({
  openPage: () => context.newPage(),
  cookies: () => context.cookies(),
  close: () => context.close(),
})

/** A browser that a suite starts. */
export interface StartableBrowser extends Prerequisite {
  /**
   * Starts the browser. It resolves the hosts to this machine, and accepts every certificate. The
   * caller must close it.
   */
  readonly start: (hosts?: readonly string[]) => Promise<TabBrowser>
}

/** Finds the browsers of the suites that need no feature of one driver. */
export const findTabBrowsers = (): readonly StartableBrowser[] => {
  const [chromium, firefox] = [findChromium(), findFirefox()]
  return [
    {
      ...chromium,
      start: async (hosts = []) => {
        const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')
        const browser = await chromium.launch([`--host-resolver-rules=${rules}`])
        return {
          openContext: async () => fromPlaywright(await browser.newContext({ ignoreHTTPSErrors: true })),
          close: () => browser.close(),
        }
      },
    },
    {
      ...firefox,
      start: async (hosts) => {
        const browser = await firefox.launch(hosts)
        return {
          openContext: async () => {
            const context = await browser.createBrowserContext()
            return {
              openPage: () => context.newPage(),
              cookies: () => context.cookies(),
              close: () => context.close(),
            }
          },
          close: () => browser.close(),
        }
      },
    },
  ]
}

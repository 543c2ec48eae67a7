import { afterAll, beforeAll } from 'vitest'
import { buildTab, type StageSetup } from './stage.js'
import type { StartableBrowser, TabBrowser } from './tab-context.js'

/** Starts a browser before the tests of a suite, and closes it after them. Returns the function that opens a new profile for a stage. */
export const useTabBrowser = (start: StartableBrowser['start'], hosts?: readonly string[]) => {
  let browser: TabBrowser
  let script: string
  beforeAll(async () => {
    browser = await start(hosts)
    script = await buildTab()
  })
  afterAll(() => browser.close())
  return async (): Promise<Pick<StageSetup, 'context' | 'script'>> => ({ context: await browser.openContext(), script })
}

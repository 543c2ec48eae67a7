import type { BrowserContext } from 'playwright-core'

/** The pages of one browser profile, with any driver. */
export interface TabContext {
  readonly openPage: () => Promise<TabPage>
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
  close: () => context.close(),
})

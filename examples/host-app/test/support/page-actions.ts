import type { Page } from 'playwright-core'
import { type DemoUser, demo } from './client.js'

/** Where the refresh token is kept. */
export type Transport = 'body' | 'cookie'

/** Chooses a transport and signs in. */
export const signIn = async (
  page: Page,
  transport: Transport,
  { username, password }: DemoUser = demo,
): Promise<void> => {
  await page.locator(`#transport-${transport}`).click()
  await page.locator(`#transport-${transport}[aria-current]`).waitFor()
  await page.getByRole('textbox', { name: 'User name' }).fill(username)
  await page.getByRole('textbox', { name: 'Password', exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'My devices' }).waitFor()
}

/** Opens the second session of the experiments. */
export const openSecondSession = async (page: Page, { password }: DemoUser = demo): Promise<void> => {
  await page.getByRole('textbox', { name: 'Your password' }).fill(password)
  await page.getByRole('button', { name: 'Open a second session' }).click()
  await page.getByText('The second session is open.').waitFor()
}

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { readMember, readTextMember } from '@jwt-auth/test-support/read-json'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { demo, jane, logIn, requestReports, requestToken } from './support/client.js'
import { invalidToken, loginFailed, reportsFor } from './support/expected-responses.js'
import { openSecondSession, signIn, type Transport } from './support/page-actions.js'
import { buildClient, chromium, it } from './support/page-it.js'
import { inFile, inMemory, type Site } from './support/site.js'

const transports: readonly Transport[] = ['body', 'cookie']

const readStorage = (page: Page): Promise<string> => page.evaluate('JSON.stringify({ ...localStorage })')

/** The values of the claims that the page shows, by their names. */
const readClaim = (page: Page, name: string): Promise<string | null> =>
  page.locator(`#claims dt:has(code:text-is("${name}")) + dd`).textContent()

const readSteps = (page: Page): Promise<readonly string[]> => page.locator('#steps li').allTextContents()

const expectText = (page: Page, selector: string) => expect.poll(() => page.locator(selector).textContent())

const countDevices = (page: Page) => expect.poll(() => page.locator('#devices > li').count())

const listIds = async ({ send }: Site, token: string): Promise<readonly string[]> => {
  const sessions = readMember((await send('GET', '/jwt-auth/v1/sessions', { token })).body, 'sessions')
  return Array.isArray(sessions) ? sessions.map((session) => readTextMember(session, 'id')) : []
}

const callRoute = (page: Page) => page.getByRole('button', { name: 'Call a guarded route' }).click()

const copyToken = (page: Page) => page.getByRole('button', { name: 'Copy this refresh token' }).click()

const changePassword = async (page: Page, current: string, changed: string): Promise<void> => {
  await page.getByRole('textbox', { name: 'Current password' }).fill(current)
  await page.getByRole('textbox', { name: 'New password' }).fill(changed)
  await page.getByRole('button', { name: 'Change the password' }).click()
}

describeEach([chromium], 'the page in $name', () => {
  beforeAll(buildClient)

  for (const transport of transports) {
    it(`signs in, calls a guarded route, survives a reload and signs out, with the transport ${transport}`, async ({
      openPage,
      startSite,
    }) => {
      const basePath = '/shop/wp-json'
      const page = await openPage(await startSite(inMemory, { BASE_PATH: basePath }), { basePath })
      await signIn(page, transport)

      await expectText(page, '#who').toBe('Signed in as Demo User')
      await expectText(page, '#remaining').toMatch(/^Valid for another (60|59) min \d\d s$/)
      expect([await readClaim(page, 'sub'), await readClaim(page, 'iss')]).toStrictEqual([
        '1',
        'https://host-app.example',
      ])
      await callRoute(page)
      await expectText(page, '#route-result').toMatch(/^GET api\/reports → 200\n\{\n {2}"user_id": 1,/)

      await page.reload()
      await expectText(page, '#who').toBe('Signed in as Demo User')

      await page.getByRole('button', { name: 'Sign out' }).click()
      await expectText(page, '#who').toBe('Signed out')
      await expectText(page, '#notice').toBe('You signed out.')
      await page.reload()
      await expectText(page, '#who').toBe('Signed out')
      expect(await page.locator('#notice').textContent()).toBe('')
    })

    it(`keeps one session after a new password, with the transport ${transport}`, async ({ openPage, startSite }) => {
      const site = await startSite(inMemory)
      const other = await logIn(site)
      const page = await openPage(site)
      await signIn(page, transport)
      await changePassword(page, 'not the password', 'a new passphrase')
      await expectText(page, '#notice').toContain('Invalid credentials.')
      const sent: string[] = []
      page.on('request', (request) => sent.push(new URL(request.url()).pathname))
      await changePassword(page, demo.password, 'a new passphrase')

      await expectText(page, '#notice').toBe('The password has changed. All other sessions have ended.')
      // The page uses the tokens of the response: it neither logs in nor refreshes.
      expect(sent).toEqual(['/api/account/password', '/jwt-auth/v1/sessions'])
      await countDevices(page).toBe(1)
      await callRoute(page)
      await expectText(page, '#route-result').toContain('→ 200')
      expect(await requestReports(site, other.token)).toStrictEqual(invalidToken)
      expect(await requestToken(site)).toStrictEqual(loginFailed)
      const { token } = await logIn(site, { ...demo, password: 'a new passphrase' })
      expect(await listIds(site, token)).toHaveLength(2)
      await page.reload()
      await expectText(page, '#who').toBe('Signed in as Demo User')
    })
  }

  it('binds the session to a key, refuses a copy of the refresh token, and continues the session', async ({
    openPage,
    startSite,
  }) => {
    const site = await startSite(inMemory)
    const page = await openPage(site)
    await signIn(page, 'body')
    const thumbprint = await page.locator('#thumbprint').textContent()
    expect(thumbprint).toMatch(/^[\w-]{43}$/)
    await copyToken(page)

    await expectText(page, '#theft-result').toMatch(
      /^POST token\/refresh with the copy → 401\n[\s\S]*"jwt_auth_invalid_dpop_proof"[\s\S]*GET api\/reports as the owner → 200\nThe session continues\.$/,
    )
    const command = (await page.locator('#theft-command').textContent()) ?? ''
    const { stdout } = await promisify(execFile)('sh', ['-c', `${command} --silent`])
    expect(JSON.parse(stdout)).toMatchObject({ code: 'jwt_auth_invalid_dpop_proof' })
    await page.reload()
    await expectText(page, '#thumbprint').toBe(thumbprint)

    await changePassword(page, demo.password, 'a new passphrase')
    await expectText(page, '#notice').toContain('The password has changed.')
    expect(await page.locator('#thumbprint').textContent()).toMatch(/^[\w-]{43}$/)
    await copyToken(page)
    await expectText(page, '#theft-result').toContain('→ 401')
  })

  it('shows the key, and no copy of a refresh token in a cookie', async ({ openPage, startSite }) => {
    const page = await openPage(await startSite(inMemory))
    await signIn(page, 'cookie')

    await expectText(page, '#thumbprint').toMatch(/^[\w-]{43}$/)
    expect(await page.getByRole('button', { name: 'Copy this refresh token' }).isVisible()).toBe(false)
  })

  it('refreshes an expired access token for the next call', async ({ openPage, startSite }) => {
    const page = await openPage(await startSite(inMemory, { ACCESS_TOKEN_SECONDS: '1' }))
    await signIn(page, 'cookie')
    const before = await readClaim(page, 'jti')
    await expectText(page, '#remaining').toBe('Expired. The next call gets a new token.')
    await callRoute(page)

    await expectText(page, '#route-result').toMatch(
      /→ 200[\s\S]*The client refreshed the access token for this call\.$/,
    )
    expect(await readClaim(page, 'jti')).not.toBe(before)
  })

  it('says after the next login why the session ended', async ({ openPage, startSite }) => {
    const site = await startSite(inMemory)
    const page = await openPage(site)
    await signIn(page, 'body')
    const { token } = await logIn(site)
    await site.send('DELETE', `/jwt-auth/v1/sessions/${await readClaim(page, 'sid')}`, { token })
    await callRoute(page)

    const ended = 'Your session ended on the server. Sign in as the same user to see why.'
    await expectText(page, '#notice').toBe(ended)
    await page.reload()
    await expectText(page, '#notice').toBe(ended)
    await signIn(page, 'body')
    await expectText(page, '#notice').toMatch(/^Your last session ended \(revoked\): somebody signed out/)
  })

  it('keeps the refresh token in localStorage only with the transport body, and in an HttpOnly cookie otherwise', async ({
    openPage,
    startSite,
  }) => {
    const page = await openPage(await startSite(inMemory))
    await signIn(page, 'body')
    expect(await readStorage(page)).toContain('jwtauth_rt_')
    expect(await page.context().cookies()).toStrictEqual([])

    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, 'cookie')
    await changePassword(page, demo.password, 'a new passphrase')
    await expectText(page, '#notice').toContain('The password has changed.')
    expect(await readStorage(page)).not.toMatch(/jwtauth_rt_|eyJ/)
    expect(await page.context().cookies()).toMatchObject([
      { name: '__Host-jwt_auth_refresh_token', httpOnly: true, secure: true, sameSite: 'Strict' },
    ])
  })

  it('lists the devices of the user, and ends one, all others, or itself', async ({ openPage, startSite }) => {
    const site = await startSite(inMemory)
    const page = await openPage(site)
    const others = [await logIn(site), await logIn(site), await logIn(site)]
    const ofJane = await logIn(site, jane)
    await signIn(page, 'body')
    await countDevices(page).toBe(4)
    expect(await page.locator('#devices').getByText('This session').count()).toBe(1)

    await page.locator('#devices > li:not(:has-text("This session"))').first().getByRole('button').click()
    await countDevices(page).toBe(3)
    await expectText(page, '#notice').toBe('The session has ended.')

    await page.getByRole('button', { name: 'End all others' }).click()
    await countDevices(page).toBe(1)
    await expectText(page, '#notice').toBe('2 other sessions have ended.')
    for (const { token } of others) expect(await requestReports(site, token)).toStrictEqual(invalidToken)
    expect(await requestReports(site, ofJane.token)).toStrictEqual(reportsFor(jane))
    expect(await page.getByRole('button', { name: 'End all others' }).isVisible()).toBe(false)

    await page.locator('#devices').getByRole('button').click()
    await expectText(page, '#who').toBe('Signed out')
  })

  it('gets the same refresh token again after a lost response, and in five tabs', async ({ openPage, startSite }) => {
    const page = await openPage(await startSite(inMemory))
    await signIn(page, 'body')
    await page.getByRole('button', { name: 'Lose a response' }).click()
    await expectText(page, '#notice').toBe('Open a second session first: enter your password.')
    await openSecondSession(page)
    await page.getByRole('button', { name: 'Lose a response' }).click()
    await expect.poll(() => readSteps(page)).toHaveLength(3)
    await page.getByRole('button', { name: 'Refresh five times' }).click()
    await expect.poll(() => readSteps(page)).toHaveLength(4)

    const steps = await readSteps(page)
    expect(steps[2]).toBe(
      'The page sends R1 again and receives R2, the same token as in the lost response. The session continues.',
    )
    expect(steps[3]).toMatch(/^Five tabs send R2 concurrently\. All five receive R3\./)
    expect(await page.locator('#drawing .step').count()).toBe(4)
    expect(await page.locator('#drawing text').allTextContents()).toContain('5 × R3')
    expect(await page.locator('#devices').getByText('Second session of this page').count()).toBe(1)
  })

  it('counts down to the end of the window, and shows that an old refresh token ends its session, and why', async ({
    openPage,
    startSite,
  }) => {
    const page = await openPage(await startSite(inMemory, { REFRESH_GRACE_SECONDS: '1' }))
    await signIn(page, 'cookie')
    await openSecondSession(page)
    await page.getByRole('button', { name: 'Use an old token' }).click()
    await page.getByText('1 s until the server no longer accepts R1').waitFor()
    await expect.poll(() => readSteps(page)).toHaveLength(6)

    expect((await readSteps(page)).slice(3)).toStrictEqual([
      'The page sends R1, as a thief with a copy would. The server responds with 403 and ends the session, because it cannot tell the thief from the user.',
      'The page sends R2. The server responds with 403.',
      'The session has ended: an old refresh token was used. Somebody may have a copy of it.',
    ])
    expect(await page.locator('#drawing .end').textContent()).toBe('ended: refresh_token_replayed')
    await countDevices(page).toBe(1)
    await callRoute(page)
    await expectText(page, '#route-result').toContain('→ 200')
  })

  it('revokes a session on the other instance, and shows that this one refuses it immediately', async ({
    createDatabase,
    openPage,
    startSiteOn,
  }) => {
    const { url } = await createDatabase(inFile)
    const other = await startSiteOn(url)
    const page = await openPage(await startSiteOn(url, { OTHER_INSTANCE: other.origin }))
    await signIn(page, 'body')
    await openSecondSession(page)
    await page.getByRole('button', { name: 'Revoke elsewhere' }).click()
    await expect.poll(() => readSteps(page)).toHaveLength(4)

    expect((await readSteps(page)).slice(1)).toStrictEqual([
      `The session is revoked on the other instance, ${other.origin}.`,
      'This instance refuses the access token immediately (401), although the token has not expired.',
      'The session has ended: somebody signed out or ended the session in a list of devices.',
    ])
  })

  it('follows a sign-out and another choice of the transport in another tab', async ({ openPage, startSite }) => {
    const site = await startSite(inMemory)
    const page = await openPage(site)
    await signIn(page, 'body')
    const tab = await page.context().newPage()
    await tab.goto(page.url())
    await expectText(tab, '#who').toBe('Signed in as Demo User')
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await expectText(page, '#who').toBe('Signed out')
    expect(await page.locator('#notice').textContent()).toBe('')

    await signIn(tab, 'cookie', jane)
    await expectText(page, '#who').toBe('Signed in as Jane Roe')
    await expectText(page, '#transport').toContain('HttpOnly cookie')
  })

  it('can be used with the keyboard alone', async ({ openPage, startSite }) => {
    const page = await openPage(await startSite(inMemory))
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }
    const findFocus = (): Promise<string> => page.evaluate('document.activeElement.id')

    // The two transports come first.
    await press('Tab', 'Tab', 'Enter')
    await page.locator('#transport-cookie[aria-current]').waitFor()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await press('Tab', 'Tab', 'Tab')
    await page.keyboard.type('demo')
    await press('Tab')
    await page.keyboard.type(demo.password)
    await press('Enter')
    await expect.poll(findFocus).toBe('token-title')

    await press('Tab', 'Space')
    await expectText(page, '#route-result').toContain('→ 200')
    while ((await findFocus()) !== 'second-password') await press('Tab')
    await page.keyboard.type(demo.password)
    await press('Enter')
    await expect.poll(findFocus).toBe('experiments')
    await press('Tab', 'Enter')
    await expect.poll(() => readSteps(page)).toHaveLength(3)
    expect(await findFocus()).toBe('lose-response')
  })

  for (const [name, options] of [
    ['light, on a desktop', { colorScheme: 'light', viewport: { width: 1_200, height: 800 } }],
    ['dark, on a phone', { colorScheme: 'dark', viewport: { width: 320, height: 640 } }],
  ] as const) {
    it(`has no fault that axe finds, and fits in the window: ${name}`, async ({ openPage, startSite }) => {
      const site = await startSite(inMemory, { REFRESH_GRACE_SECONDS: '0' })
      const page = await openPage(site, { ...options, reducedMotion: 'reduce' })
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await page.getByText('All routes of this site').click()
      expect(await findFaults(page)).toStrictEqual([])

      await logIn(site)
      await signIn(page, 'body')
      await callRoute(page)
      await copyToken(page)
      await page.getByText('The session continues.').waitFor()
      await openSecondSession(page)
      await changePassword(page, 'not the password', 'a new passphrase')
      await page.locator('#notice[data-kind=failure]').waitFor()
      expect(await findFaults(page)).toStrictEqual([])

      await page.getByRole('button', { name: 'Lose a response' }).click()
      await page.getByText('The session has ended').waitFor()
      expect(await findFaults(page)).toStrictEqual([])
    })
  }
})

/** Returns what axe finds, and whether the page is wider than the window. */
const findFaults = async (page: Page): Promise<readonly unknown[]> => {
  await page.evaluate(axe.source)
  const found = await page.evaluate(
    'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html)))',
  )
  const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth')
  return [...(Array.isArray(found) ? found : []), ...(isTooWide ? ['wider than the window'] : [])]
}

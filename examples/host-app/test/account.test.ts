import { beforeAll, describe, expect } from 'vitest'
import { byName, inFile, inMemory } from './support/databases.js'
import { type DemoUser, demo, jane } from './support/demo-users.js'
import {
  alreadyRevoked,
  authenticated,
  badParameters,
  hostFailure,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  noContent,
  reportsFor,
  validToken,
} from './support/expected-responses.js'
import {
  logIn,
  readTokens,
  requestRefresh,
  requestReports,
  requestRevocation,
  requestToken,
  requestValidation,
  type Tokens,
} from './support/flows.js'
import type { JsonResponse } from './support/http-client.js'
import { it } from './support/it.js'
import { openSite, type Site } from './support/site.js'

const newPassword = 'yet another long passphrase'

const withNewPassword = (user: DemoUser): DemoUser => ({ ...user, password: newPassword })

const changePassword = (
  { send }: Site,
  { token }: Tokens,
  { from = demo.password, to = newPassword }: { readonly from?: string; readonly to?: string } = {},
) => send('PUT', '/api/account/password', { token, json: { current_password: from, new_password: to } })

const deleteAccount = ({ send }: Site, { token }: Tokens, password: unknown = demo.password) =>
  send('DELETE', '/api/account', { token, json: { password } })

describe.concurrent('PUT /api/account/password', () => {
  it('authenticates the user by the new password only', async ({ startSite }) => {
    const site = await startSite(inFile)

    expect(await changePassword(site, await logIn(site))).toMatchObject({ status: 200 })
    expect(await requestToken(site)).toStrictEqual(loginFailed)

    const response = await requestToken(site, withNewPassword(demo))

    expect(response).toStrictEqual(authenticated(demo, readTokens(response)))
  })

  it("ends all sessions, the caller's included", async ({ startSite }) => {
    const site = await startSite(inFile)
    const [own, other] = [await logIn(site), await logIn(site)]
    await changePassword(site, own)

    for (const { token, refreshToken } of [own, other]) {
      expect(await requestValidation(site, token)).toStrictEqual(invalidToken)
      expect(await requestRefresh(site, refreshToken)).toStrictEqual(invalidRefreshToken)
    }
  })

  it('responds like a login, with the pair of a new session', async ({ startSite }) => {
    const site = await startSite(inFile)
    const response = await changePassword(site, await logIn(site))
    const tokens = readTokens(response)

    expect(response).toStrictEqual(authenticated(demo, tokens))
    expect(await requestReports(site, tokens.token)).toStrictEqual(reportsFor(demo))

    const next = await requestRefresh(site, tokens.refreshToken)

    expect(next).toStrictEqual(authenticated(demo, readTokens(next)))
  })

  it('does not end sessions of other users', async ({ startSite }) => {
    const site = await startSite(inFile)
    const ofJane = await logIn(site, jane)
    await changePassword(site, await logIn(site, demo))

    expect(await requestValidation(site, ofJane.token)).toStrictEqual(validToken)
  })

  it('responds with 403 to a wrong current password and changes nothing', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [own, other] = [await logIn(site), await logIn(site)]

    expect(await changePassword(site, own, { from: jane.password })).toStrictEqual(loginFailed)
    expect(await requestToken(site, withNewPassword(demo))).toStrictEqual(loginFailed)
    expect(await requestValidation(site, other.token)).toStrictEqual(validToken)
    expect(await requestRefresh(site, other.refreshToken)).toMatchObject({ status: 200 })
  })

  it('accepts one of two concurrent changes', async ({ startSite }) => {
    const site = await startSite(inFile)
    const own = await logIn(site)
    const passwords = ['the first new passphrase', 'the second new passphrase']
    const changes = await Promise.all(passwords.map((to) => changePassword(site, own, { to })))
    const logins = await Promise.all(passwords.map((password) => requestToken(site, { ...demo, password })))

    expect(changes.map(({ status }) => status).toSorted()).toStrictEqual([200, 403])
    expect(logins.map(({ status }) => status)).toStrictEqual(changes.map(({ status }) => status))
  })
})

/** Invalid bodies, and the response to each. */
const badChanges: readonly { readonly name: string; readonly json?: unknown; readonly response: JsonResponse }[] = [
  { name: 'without a body', response: badParameters('Missing', 'current_password', 'new_password') },
  { name: 'with an empty object', json: {}, response: badParameters('Missing', 'current_password', 'new_password') },
  {
    name: 'without the current password',
    json: { new_password: newPassword },
    response: badParameters('Missing', 'current_password'),
  },
  {
    name: 'with an empty new password',
    json: { current_password: demo.password, new_password: '' },
    response: badParameters('Missing', 'new_password'),
  },
  {
    name: 'with a new password that is not text',
    json: { current_password: demo.password, new_password: [newPassword] },
    response: badParameters('Invalid', 'new_password'),
  },
  {
    name: 'with a current password that is not text',
    json: { current_password: { $ne: '' }, new_password: newPassword },
    response: badParameters('Invalid', 'current_password'),
  },
  {
    name: 'with a new password that is too short',
    json: { current_password: demo.password, new_password: 'seven77' },
    response: badParameters('Invalid', 'new_password'),
  },
  {
    name: 'with a new password that is guessed first',
    json: { current_password: demo.password, new_password: 'Password' },
    response: badParameters('Invalid', 'new_password'),
  },
  { name: 'with text in place of an object', json: 'new_password', response: hostFailure(400) },
]

describe.concurrent('PUT /api/account/password', () => {
  let site: Site

  beforeAll(async () => {
    site = await openSite(inMemory)
    return site.stop
  })

  it.for(byName(badChanges))('responds with 400 %s', async ([, { json, response }]) => {
    const { token } = await logIn(site)

    expect(await site.send('PUT', '/api/account/password', { token, json })).toStrictEqual(response)
    expect(await requestToken(site)).toMatchObject({ status: 200 })
  })

  it('distinguishes passwords that differ after 100 characters', async ({ startSite }) => {
    const site = await startSite(inMemory)
    const to = `${'🔑'.repeat(100)}a`
    await changePassword(site, await logIn(site), { to })

    expect(await requestToken(site, { ...demo, password: `${'🔑'.repeat(100)}b` })).toStrictEqual(loginFailed)
    expect(await requestToken(site, { ...demo, password: to })).toMatchObject({ status: 200 })
  })

  it('responds with 413 to a body of a megabyte', async () => {
    expect(await changePassword(site, await logIn(site), { to: 'x'.repeat(1_000_000) })).toStrictEqual(hostFailure(413))
  })
})

describe.concurrent('DELETE /api/account', () => {
  let site: Site

  beforeAll(async () => {
    site = await openSite(inMemory)
    return site.stop
  })

  it('ends every session of the user immediately, and further logins fail', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [own, other] = [await logIn(site), await logIn(site)]

    expect(await deleteAccount(site, own)).toStrictEqual(noContent)
    expect(await requestToken(site)).toStrictEqual(loginFailed)
    for (const { token, refreshToken } of [own, other]) {
      expect(await requestValidation(site, token)).toStrictEqual(invalidToken)
      expect(await requestReports(site, token)).toStrictEqual(invalidToken)
      expect(await site.send('GET', '/jwt-auth/v1/me', { token })).toStrictEqual(invalidToken)
      expect(await site.send('GET', '/api/greeting', { token })).toStrictEqual(invalidToken)
      expect(await requestRefresh(site, refreshToken)).toStrictEqual(invalidRefreshToken)
      expect(await requestRevocation(site, token)).toStrictEqual(alreadyRevoked)
      expect(await deleteAccount(site, { token, refreshToken })).toStrictEqual(invalidToken)
    }
  })

  it.for([
    ['a wrong password', jane.password, loginFailed],
    ['a password that is not text', { $ne: '' }, loginFailed],
    ['an empty password', '', badParameters('Missing', 'password')],
    ['no password', undefined, badParameters('Missing', 'password')],
  ] as const)('deletes nothing with %s', async ([, password, response]) => {
    const own = await logIn(site)

    // null, because undefined takes the default.
    expect(await deleteAccount(site, own, password ?? null)).toStrictEqual(response)
    expect(await requestReports(site, own.token)).toStrictEqual(reportsFor(demo))
  })

  it('does not affect other users', async ({ startSite }) => {
    const site = await startSite(inFile)
    const ofJane = await logIn(site, jane)
    await deleteAccount(site, await logIn(site, demo))

    expect(await requestReports(site, ofJane.token)).toStrictEqual(reportsFor(jane))
    expect(await requestToken(site, jane)).toMatchObject({ status: 200 })
  })
})

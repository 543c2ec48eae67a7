import { beforeAll, describe, expect } from 'vitest'
import {
  demo,
  type JsonResponse,
  jane,
  logIn,
  readTokens,
  requestRefresh,
  requestReports,
  requestToken,
  requestValidation,
  type Tokens,
} from './support/client.js'
import {
  authenticated,
  badParameters,
  hostFailure,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  noContent,
  reportsFor,
} from './support/expected-responses.js'
import { it } from './support/it.js'
import { inFile, inMemory, openSite, type Site } from './support/site.js'

const newPassword = 'yet another long passphrase'

const changePassword = ({ send }: Site, { token }: Tokens, to: string, from = demo.password) =>
  send('PUT', '/api/account/password', { token, json: { current_password: from, new_password: to } })

const deleteAccount = ({ send }: Site, { token }: Tokens, password: unknown = demo.password) =>
  send('DELETE', '/api/account', { token, json: { password } })

const expectEnded = async (site: Site, { token, refreshToken }: Tokens): Promise<void> => {
  expect(await requestValidation(site, token)).toStrictEqual(invalidToken)
  expect(await requestRefresh(site, refreshToken)).toStrictEqual(invalidRefreshToken)
}

describe.concurrent('PUT /api/account/password', () => {
  it('ends all sessions of the user, and responds like a login by the new password', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [own, other, ofJane] = [await logIn(site), await logIn(site), await logIn(site, jane)]
    const response = await changePassword(site, own, newPassword)
    const tokens = readTokens(response)

    expect(response).toStrictEqual(authenticated(demo, tokens))
    for (const former of [own, other]) await expectEnded(site, former)
    expect(await requestReports(site, tokens.token)).toStrictEqual(reportsFor(demo))
    expect(await requestReports(site, ofJane.token)).toStrictEqual(reportsFor(jane))
    expect(await requestRefresh(site, tokens.refreshToken)).toMatchObject({ status: 200 })
    expect(await requestToken(site)).toStrictEqual(loginFailed)
    expect(await requestToken(site, { ...demo, password: newPassword })).toMatchObject({ status: 200 })
  })

  it('responds with 403 to a wrong current password and changes nothing', async ({ startSite }) => {
    const site = await startSite(inFile)
    const own = await logIn(site)

    expect(await changePassword(site, own, newPassword, jane.password)).toStrictEqual(loginFailed)
    expect(await requestToken(site)).toMatchObject({ status: 200 })
    expect(await requestRefresh(site, own.refreshToken)).toMatchObject({ status: 200 })
  })

  it('accepts one of two concurrent changes', async ({ startSite }) => {
    const site = await startSite(inFile)
    const own = await logIn(site)
    const passwords = ['the first new passphrase', 'the second new passphrase']
    const changes = await Promise.all(passwords.map((to) => changePassword(site, own, to)))
    const logins = await Promise.all(passwords.map((password) => requestToken(site, { ...demo, password })))

    expect(changes.map(({ status }) => status).toSorted()).toStrictEqual([200, 403])
    expect(logins.map(({ status }) => status)).toStrictEqual(changes.map(({ status }) => status))
  })
})

/** Invalid bodies, and the response to each. */
const badChanges: readonly (readonly [name: string, changes: object, response: JsonResponse])[] = [
  [
    'no password',
    { current_password: '', new_password: '' },
    badParameters('Missing', 'current_password', 'new_password'),
  ],
  ['an operator of a query', { current_password: { $ne: '' } }, badParameters('Invalid', 'current_password')],
  ['7 characters', { new_password: 'seven77' }, badParameters('Invalid', 'new_password')],
  ['a password that is guessed first', { new_password: 'Password' }, badParameters('Invalid', 'new_password')],
  ['a megabyte', { new_password: 'x'.repeat(1_000_000) }, hostFailure(413)],
]

describe.concurrent('an account of the host app', () => {
  let site: Site

  beforeAll(async () => {
    site = await openSite(inMemory)
    return site.stop
  })

  it.for(badChanges)('keeps its password when a change has %s', async ([, changes, response]) => {
    const { token } = await logIn(site)
    const json = { current_password: demo.password, new_password: newPassword, ...changes }
    expect(await site.send('PUT', '/api/account/password', { token, json })).toStrictEqual(response)
    expect(await requestToken(site)).toMatchObject({ status: 200 })
  })

  it('is deleted by its password, with every session, and no other account is', async ({ startSite }) => {
    const own = await startSite(inFile)
    const [first, second, ofJane] = [await logIn(own), await logIn(own), await logIn(own, jane)]

    expect(await deleteAccount(own, first)).toStrictEqual(noContent)
    expect(await requestToken(own)).toStrictEqual(loginFailed)
    for (const tokens of [first, second]) {
      await expectEnded(own, tokens)
      expect(await deleteAccount(own, tokens)).toStrictEqual(invalidToken)
    }
    expect(await requestReports(own, ofJane.token)).toStrictEqual(reportsFor(jane))
    expect(await requestToken(own, jane)).toMatchObject({ status: 200 })
  })

  it.for([
    ['a wrong password', jane.password, loginFailed],
    ['a password that is not text', { $ne: '' }, loginFailed],
    // `null`, because `undefined` takes the default.
    ['no password', null, badParameters('Missing', 'password')],
  ] as const)('is not deleted by %s', async ([, password, response]) => {
    const tokens = await logIn(site)

    expect(await deleteAccount(site, tokens, password)).toStrictEqual(response)
    expect(await requestReports(site, tokens.token)).toStrictEqual(reportsFor(demo))
  })
})

import { describe, expect } from 'vitest'
import { inFile } from './support/databases.js'
import { demo, jane } from './support/demo-users.js'
import {
  alreadyRevoked,
  authenticated,
  invalidRefreshToken,
  invalidToken,
  loginFailed,
  noContent,
  reportsFor,
  tokenRevoked,
} from './support/expected-responses.js'
import {
  logIn,
  readTokens,
  refresh,
  requestRefresh,
  requestReports,
  requestRevocation,
  requestToken,
} from './support/flows.js'
import { it } from './support/it.js'

// A short story on each other database: two-processes.slow.test.ts and redis.test.ts.
describe.concurrent('a site on SQLite', () => {
  it('serves a user from login to revocation', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const site = await startSiteOn(url)

    const login = await requestToken(site)
    const first = readTokens(login)
    expect(login).toStrictEqual(authenticated(demo, first))
    expect(await requestReports(site, first.token)).toStrictEqual(reportsFor(demo))

    const second = await refresh(site, first.refreshToken)
    expect(await requestReports(site, second.token)).toStrictEqual(reportsFor(demo))

    // The response was lost, and the client repeats its request.
    const retried = await refresh(site, first.refreshToken)
    expect(retried.refreshToken).toBe(second.refreshToken)
    expect(await requestReports(site, retried.token)).toStrictEqual(reportsFor(demo))
    await site.stop()

    // Without a grace window the repeated request counts as a stolen token: the session ends.
    const strict = await startSiteOn(url, { REFRESH_GRACE_SECONDS: '0' })
    expect(await requestReports(strict, second.token)).toStrictEqual(reportsFor(demo))
    expect(await requestRefresh(strict, first.refreshToken)).toStrictEqual(invalidRefreshToken)
    expect(await requestRefresh(strict, second.refreshToken)).toStrictEqual(invalidRefreshToken)
    for (const { token } of [first, second, retried]) {
      expect(await requestReports(strict, token)).toStrictEqual(invalidToken)
    }

    const anew = await logIn(strict)
    expect(await requestRevocation(strict, anew.token)).toStrictEqual(tokenRevoked)
    expect(await requestReports(strict, anew.token)).toStrictEqual(invalidToken)
    expect(await requestRefresh(strict, anew.refreshToken)).toStrictEqual(invalidRefreshToken)
    expect(await requestRevocation(strict, anew.token)).toStrictEqual(alreadyRevoked)
  })

  it('keeps its users and their sessions after a restart', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const before = await startSiteOn(url)
    const [ofDemo, ofJane] = [await logIn(before, demo), await logIn(before, jane)]
    expect(
      await before.send('DELETE', '/api/account', { token: ofDemo.token, json: { password: demo.password } }),
    ).toStrictEqual(noContent)
    await before.stop()

    const after = await startSiteOn(url)
    expect(await requestToken(after, demo)).toStrictEqual(loginFailed)
    expect(await requestReports(after, ofDemo.token)).toStrictEqual(invalidToken)
    expect(await requestReports(after, ofJane.token)).toStrictEqual(reportsFor(jane))
    const response = await requestRefresh(after, ofJane.refreshToken)
    expect(response).toStrictEqual(authenticated(jane, readTokens(response)))
  })

  it('keeps a changed password after a restart', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const before = await startSiteOn(url)
    const { token } = await logIn(before)
    const passwords = { current_password: demo.password, new_password: 'yet another long passphrase' }
    expect(await before.send('PUT', '/api/account/password', { token, json: passwords })).toMatchObject({ status: 200 })
    await before.stop()

    const after = await startSiteOn(url)
    expect(await requestToken(after, demo)).toStrictEqual(loginFailed)
    expect(await requestToken(after, { ...demo, password: passwords.new_password })).toMatchObject({ status: 200 })
  })

  it('keeps its refresh tokens after a restart with another random secret', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const before = await startSiteOn(url, { JWT_AUTH_SECRET: '' })
    const { token, refreshToken } = await logIn(before)
    await before.stop()

    const after = await startSiteOn(url, { JWT_AUTH_SECRET: '' })
    expect(await requestReports(after, token)).toMatchObject({ status: 401 })
    expect(await requestReports(after, (await refresh(after, refreshToken)).token)).toStrictEqual(reportsFor(demo))
  })
})

import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect } from 'vitest'
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
} from './support/expected-answers.js'
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

describeEach(await findDatabases(), 'a site on $name', (kind) => {
  it('carries a user from login to revocation', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(kind)
    const site = await startSiteOn(url)

    const login = await requestToken(site)
    const first = readTokens(login)
    expect(login).toStrictEqual(authenticated(demo, first))
    expect(await requestReports(site, first.token)).toStrictEqual(reportsFor(demo))

    const second = await refresh(site, first.refreshToken)
    expect(await requestReports(site, second.token)).toStrictEqual(reportsFor(demo))

    // The answer was lost; the client asks again with what it has.
    const retried = await refresh(site, first.refreshToken)
    expect(retried.refreshToken).toBe(second.refreshToken)
    expect(await requestReports(site, retried.token)).toStrictEqual(reportsFor(demo))
    await site.stop()

    // Without a grace window the same request comes from somebody with a copy: the session ends for both.
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

  it('keeps its users and their sessions when it starts again', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(kind)
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
    const answer = await requestRefresh(after, ofJane.refreshToken)
    expect(answer).toStrictEqual(authenticated(jane, readTokens(answer)))
  })

  it('keeps a changed password when it starts again', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(kind)
    const before = await startSiteOn(url)
    const { token } = await logIn(before)
    const passwords = { current_password: demo.password, new_password: 'yet another long passphrase' }
    expect(await before.send('PUT', '/api/account/password', { token, json: passwords })).toMatchObject({ status: 200 })
    await before.stop()

    const after = await startSiteOn(url)
    expect(await requestToken(after, demo)).toStrictEqual(loginFailed)
    expect(await requestToken(after, { ...demo, password: passwords.new_password })).toMatchObject({ status: 200 })
  })
})

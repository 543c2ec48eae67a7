import { describe, expect } from 'vitest'
import { demo, jane, logIn, refresh, requestRefresh, requestReports, requestToken } from './support/client.js'
import { invalidRefreshToken, invalidToken, loginFailed, noContent, reportsFor } from './support/expected-responses.js'
import { it } from './support/it.js'
import { inFile } from './support/site.js'

// A short story on each other database: processes.slow.test.ts.
describe.concurrent('a site on SQLite that starts again', () => {
  it('keeps its sessions and their refresh tokens, and ends a session whose old refresh token is used', async ({
    createDatabase,
    startSiteOn,
  }) => {
    const { url } = await createDatabase(inFile)
    const site = await startSiteOn(url)
    const first = await logIn(site)
    const second = await refresh(site, first.refreshToken)
    // The response was lost, and the client repeats its request.
    expect((await refresh(site, first.refreshToken)).refreshToken).toBe(second.refreshToken)
    await site.stop()

    // Without a grace window the repeated request counts as a stolen token: the session ends.
    const strict = await startSiteOn(url, { REFRESH_GRACE_SECONDS: '0' })
    expect(await requestReports(strict, second.token)).toStrictEqual(reportsFor(demo))
    expect(await requestRefresh(strict, first.refreshToken)).toStrictEqual(invalidRefreshToken)
    expect(await requestRefresh(strict, second.refreshToken)).toStrictEqual(invalidRefreshToken)
    expect(await requestReports(strict, second.token)).toStrictEqual(invalidToken)
  })

  it('keeps its users, and does not create a deleted user again', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const before = await startSiteOn(url)
    const [ofDemo, ofJane] = [await logIn(before, demo), await logIn(before, jane)]
    const deletion = { token: ofDemo.token, json: { password: demo.password } }
    expect(await before.send('DELETE', '/api/account', deletion)).toStrictEqual(noContent)
    await before.stop()

    const after = await startSiteOn(url)
    expect(await requestToken(after, demo)).toStrictEqual(loginFailed)
    expect(await requestReports(after, ofDemo.token)).toStrictEqual(invalidToken)
    expect(await requestReports(after, ofJane.token)).toStrictEqual(reportsFor(jane))
  })

  it('keeps its refresh tokens with another random secret', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const before = await startSiteOn(url, { JWT_AUTH_SECRET: '' })
    const { token, refreshToken } = await logIn(before)
    await before.stop()

    const after = await startSiteOn(url, { JWT_AUTH_SECRET: '' })
    expect(await requestReports(after, token)).toMatchObject({ status: 401 })
    expect(await requestReports(after, (await refresh(after, refreshToken)).token)).toStrictEqual(reportsFor(demo))
  })
})

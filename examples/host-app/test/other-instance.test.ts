import { describe } from 'vitest'
import { inFile, inMemory } from './support/databases.js'
import { hostFailure, invalidToken, noAuthHeader, tokenRevoked } from './support/expected-responses.js'
import { logIn, requestReports } from './support/flows.js'
import { it } from './support/it.js'

const path = '/api/other-instance/revoke'

// The discard port, where nothing listens.
const nowhere = 'http://127.0.0.1:9'

describe.concurrent('POST /api/other-instance/revoke', () => {
  it('ends the session on the other instance, and so on all', async ({ createDatabase, expect, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const other = await startSiteOn(url, { BASE_PATH: '/wp-json' })
    const site = await startSiteOn(url, { OTHER_INSTANCE: `${other.origin}/wp-json` })
    const { token } = await logIn(site)

    expect(await site.send('POST', path, { token })).toStrictEqual(tokenRevoked)
    expect(await requestReports(site, token)).toStrictEqual(invalidToken)
    expect(await requestReports(other, token)).toStrictEqual(invalidToken)
  })

  it('responds with 404 where OTHER_INSTANCE is not set', async ({ expect, startSite }) => {
    const site = await startSite(inMemory)
    const { token } = await logIn(site)

    expect(await site.send('POST', path, { token })).toStrictEqual(hostFailure(404))
  })

  it('responds with 502 when the other instance does not listen', async ({ expect, startSite }) => {
    const site = await startSite(inMemory, { OTHER_INSTANCE: nowhere })
    const { token } = await logIn(site)

    expect(await site.send('POST', path, { token })).toStrictEqual(hostFailure(502))
  })

  it('sends nothing to the other instance without a valid access token', async ({ expect, startSite }) => {
    const site = await startSite(inMemory, { OTHER_INSTANCE: nowhere })

    expect(await site.send('POST', path)).toStrictEqual(noAuthHeader)
    expect(await site.send('POST', path, { token: 'a.b.c' })).toStrictEqual(invalidToken)
  })
})

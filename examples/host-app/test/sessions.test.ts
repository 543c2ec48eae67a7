import { readMember, readTextMember } from '@jwt-auth/test-support/read-json'
import { describe, expect } from 'vitest'
import { jane, logIn, requestRefresh, requestReports, type Tokens } from './support/client.js'
import {
  failure,
  hostFailure,
  invalidRefreshToken,
  invalidToken,
  noContent,
  success,
} from './support/expected-responses.js'
import { it } from './support/it.js'
import { inFile, type Site } from './support/site.js'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const findCurrentId = async ({ send }: Site, { token }: Tokens): Promise<string> => {
  const sessions = readMember((await send('GET', '/jwt-auth/v1/sessions', { token })).body, 'sessions')
  if (!Array.isArray(sessions)) throw new Error('Expected a list of sessions.')
  return readTextMember(
    sessions.find((session) => readMember(session, 'current')),
    'id',
  )
}

const describeSession = ({ send }: Site, { token }: Tokens, id: string) =>
  send('GET', `/api/sessions/${encodeURIComponent(id)}`, { token })

const deleteSession = ({ send }: Site, { token }: Tokens, id: string) =>
  send('DELETE', `/jwt-auth/v1/sessions/${encodeURIComponent(id)}`, { token })

const noSession = failure(404, 'jwt_auth_token_not_found', 'Session not found')

describe.concurrent('the sessions of a user', () => {
  it('end when they are deleted, and say when and why', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [deleted, other] = [await logIn(site), await logIn(site)]
    const id = await findCurrentId(site, deleted)
    const active = { id, ended_at: null, end_reason: null, expires_at: instant }

    expect(await describeSession(site, other, id)).toStrictEqual(success(active))
    expect(await deleteSession(site, other, id)).toStrictEqual(noContent)
    const ended = { ...active, ended_at: instant, end_reason: 'revoked' }
    expect(await describeSession(site, other, id)).toStrictEqual(success(ended))
    expect(await describeSession(site, deleted, id)).toStrictEqual(invalidToken)
    expect(await requestRefresh(site, deleted.refreshToken)).toStrictEqual(invalidRefreshToken)
  })

  it('are found by no other user or issuer', async ({ createDatabase, startSiteOn }) => {
    const { url } = await createDatabase(inFile)
    const site = await startSiteOn(url)
    const otherSite = await startSiteOn(url, { ISSUER: 'https://other.example' })
    const [tokens, ofJane, elsewhere] = [await logIn(site), await logIn(site, jane), await logIn(otherSite)]
    const id = await findCurrentId(site, tokens)
    const others = [
      await findCurrentId(site, ofJane),
      await findCurrentId(otherSite, elsewhere),
      'AAAAAAAAAAAAAAAAAAAAAA',
    ]

    for (const other of others) {
      expect(await describeSession(site, tokens, other)).toStrictEqual(hostFailure(404))
      expect(await deleteSession(site, tokens, other)).toStrictEqual(noSession)
    }
    expect(await deleteSession(site, ofJane, id)).toStrictEqual(noSession)
    for (const [there, { token }] of [
      [site, tokens],
      [site, ofJane],
      [otherSite, elsewhere],
    ] as const) {
      expect(await requestReports(there, token)).toMatchObject({ status: 200 })
    }
  })
})

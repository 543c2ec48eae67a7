import { once } from 'node:events'
import { jwtAuth, type SessionStorage } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { readMember, readTextMember } from '@jwt-auth/test-support/read-json'
import { describe, expect } from 'vitest'
import { createAccounts } from '../src/accounts.js'
import { createApp } from '../src/app.js'
import { openDatabase } from '../src/database.js'
import { parseEnvironment } from '../src/environment.js'
import { inFile } from './support/databases.js'
import { demo, jane } from './support/demo-users.js'
import {
  authenticated,
  hostFailure,
  invalidRefreshToken,
  invalidToken,
  noContent,
  success,
  validToken,
} from './support/expected-responses.js'
import {
  logIn,
  readTokens,
  requestRefresh,
  requestRevocation,
  requestValidation,
  type Tokens,
} from './support/flows.js'
import { createClient } from './support/http-client.js'
import { it } from './support/it.js'
import { type Site, testVariables } from './support/site.js'

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const listSessions = async ({ send }: Site, { token }: Tokens): Promise<readonly unknown[]> => {
  const { body } = await send('GET', '/api/sessions', { token })
  const sessions = readMember(body, 'sessions')
  if (Array.isArray(sessions)) return sessions
  throw new Error(`Expected a list of sessions, got ${JSON.stringify(body)}`)
}

const listIds = async (site: Site, tokens: Tokens): Promise<readonly string[]> =>
  (await listSessions(site, tokens)).map((session) => readTextMember(session, 'id'))

const findCurrentId = async (site: Site, tokens: Tokens): Promise<string> => {
  const sessions = await listSessions(site, tokens)
  return readTextMember(
    sessions.find((session) => readMember(session, 'current')),
    'id',
  )
}

const deleteSession = ({ send }: Site, { token }: Tokens, id: string) =>
  send('DELETE', `/api/sessions/${encodeURIComponent(id)}`, { token })

const swapCase = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )

describe.concurrent('the sessions of a user', () => {
  it('are listed with all of their fields', async ({ startSite }) => {
    const site = await startSite(inFile)
    const response = await site.send('POST', '/jwt-auth/v1/token', {
      json: { username: 'demo', password: demo.password },
      userAgent: 'Tabby/1.0 (X11; "quoted" \\ and so on)',
    })

    expect(await site.send('GET', '/api/sessions', { token: readTokens(response).token })).toStrictEqual(
      success({
        sessions: [
          {
            id: expect.stringMatching(/^.+$/),
            current: true,
            created_at: instant,
            last_used_at: instant,
            expires_at: instant,
            user_agent: 'Tabby/1.0 (X11; "quoted" \\ and so on)',
            ip_address: '127.0.0.1',
            label: null,
          },
        ],
      }),
    )
  })

  it('expire after SESSION_IDLE_SECONDS', async ({ startSite }) => {
    const site = await startSite(inFile, { SESSION_IDLE_SECONDS: '600' })
    const [session] = await listSessions(site, await logIn(site))
    const [createdAt, expiresAt] = [readTextMember(session, 'created_at'), readTextMember(session, 'expires_at')].map(
      Date.parse,
    )

    expect(Number(expiresAt) - Number(createdAt)).toBe(600_000)
  })

  it('show which session is the current one', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [first, second] = [await logIn(site), await logIn(site)]
    const [idOfFirst, idOfSecond] = [await findCurrentId(site, first), await findCurrentId(site, second)]

    expect(idOfSecond).not.toBe(idOfFirst)
    expect((await listSessions(site, first)).map((session) => readMember(session, 'current')).toSorted()).toStrictEqual(
      [false, true],
    )
    expect(await listIds(site, second)).toEqual(expect.arrayContaining([idOfFirst, idOfSecond]))
  })

  it('are not shown to other users', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [ofDemo, ofJane] = [await logIn(site, demo), await logIn(site, jane)]

    expect(await listIds(site, ofDemo)).toStrictEqual([await findCurrentId(site, ofDemo)])
    expect(await listIds(site, ofJane)).toStrictEqual([await findCurrentId(site, ofJane)])
  })

  it('leave the list when they are revoked', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [revoked, left] = [await logIn(site), await logIn(site)]
    await requestRevocation(site, revoked.token)

    expect(await listIds(site, left)).toStrictEqual([await findCurrentId(site, left)])
  })

  it('stay one session through a refresh', async ({ startSite }) => {
    const site = await startSite(inFile)
    const before = await logIn(site)
    const id = await findCurrentId(site, before)
    const after = readTokens(await requestRefresh(site, before.refreshToken))

    expect(await listIds(site, after)).toStrictEqual([id])
  })

  it('end one by one when they are deleted', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [deleted, left] = [await logIn(site), await logIn(site)]

    expect(await deleteSession(site, left, await findCurrentId(site, deleted))).toStrictEqual(noContent)
    expect(await requestValidation(site, deleted.token)).toStrictEqual(invalidToken)
    expect(await requestRefresh(site, deleted.refreshToken)).toStrictEqual(invalidRefreshToken)
    expect(await listIds(site, left)).toStrictEqual([await findCurrentId(site, left)])
  })

  it('end when the current session is deleted', async ({ startSite }) => {
    const site = await startSite(inFile)
    const tokens = await logIn(site)

    expect(await deleteSession(site, tokens, await findCurrentId(site, tokens))).toStrictEqual(noContent)
    expect(await site.send('GET', '/api/sessions', { token: tokens.token })).toStrictEqual(invalidToken)
  })

  it('cannot be deleted by another user', async ({ startSite }) => {
    const site = await startSite(inFile)
    const [ofDemo, ofJane] = [await logIn(site, demo), await logIn(site, jane)]

    expect(await deleteSession(site, ofJane, await findCurrentId(site, ofDemo))).toStrictEqual(hostFailure(404))
    expect(await requestValidation(site, ofDemo.token)).toStrictEqual(validToken)

    const response = await requestRefresh(site, ofDemo.refreshToken)

    expect(response).toStrictEqual(authenticated(demo, readTokens(response)))
  })

  it('are not found by another id', async ({ startSite }) => {
    const site = await startSite(inFile)
    const tokens = await logIn(site)
    const id = await findCurrentId(site, tokens)
    const others = [
      'AAAAAAAAAAAAAAAAAAAAAA',
      swapCase(id),
      `${id} `,
      id.slice(0, -1),
      '%',
      "' or ''='",
      'x'.repeat(5_000),
      '💥',
    ]

    for (const other of others) expect(await deleteSession(site, tokens, other)).toStrictEqual(hostFailure(404))
    expect(await requestValidation(site, tokens.token)).toStrictEqual(validToken)
  })

  it('are not found by an id with a NUL character', async ({ startSite }) => {
    const site = await startSite(inFile)
    const tokens = await logIn(site)

    expect(await deleteSession(site, tokens, '\0')).toStrictEqual(hostFailure(404))
  })
})

describe.concurrent('GET /api/sessions/:id', () => {
  const describeSession = ({ send }: Pick<Site, 'send'>, { token }: Tokens, id: string) =>
    send('GET', `/api/sessions/${encodeURIComponent(id)}`, { token })

  it('says when and why a session of the user ended', async ({ expect, startSite }) => {
    const site = await startSite(inFile)
    const [one, other] = [await logIn(site), await logIn(site)]
    const id = await findCurrentId(site, one)

    const active = { id, ended_at: null, end_reason: null, expires_at: instant }
    expect(await describeSession(site, other, id)).toStrictEqual(success(active))
    expect(await deleteSession(site, other, id)).toStrictEqual(noContent)
    const ended = { ...active, ended_at: instant, end_reason: 'revoked' }
    expect(await describeSession(site, other, id)).toStrictEqual(success(ended))
    expect(await describeSession(site, one, id)).toStrictEqual(invalidToken)
  })

  it('finds no session of another user or issuer, and none for another text', async ({
    createDatabase,
    expect,
    startSiteOn,
  }) => {
    const { url } = await createDatabase(inFile)
    const site = await startSiteOn(url)
    const otherSite = await startSiteOn(url, { ISSUER: 'https://other.example' })
    const [tokens, ofJane, elsewhere] = [await logIn(site), await logIn(site, jane), await logIn(otherSite)]
    const ids = [
      await findCurrentId(site, ofJane),
      await findCurrentId(otherSite, elsewhere),
      swapCase(await findCurrentId(site, tokens)),
      'unknown',
      '\0',
    ]

    for (const id of ids) expect(await describeSession(site, tokens, id)).toStrictEqual(hostFailure(404))
  })

  it('responds with 503 when the storage fails after the guard', async ({ expect, onTestFinished }) => {
    const knex = openDatabase('memory:')
    onTestFinished(() => knex.destroy())
    const accounts = createAccounts(knex, 4)
    await accounts.setUp()
    const sessions = memoryStorage({ quiet: true })
    let callsLeft = Infinity
    const countCall = () => {
      if (callsLeft-- <= 0) throw new Error('the storage is unavailable')
    }
    const storage: SessionStorage = {
      ...sessions,
      findByIds: async (...call) => {
        countCall()
        return sessions.findByIds(...call)
      },
      list: async (...call) => {
        countCall()
        return sessions.list(...call)
      },
    }
    const auth = jwtAuth({
      secret: testVariables.JWT_AUTH_SECRET,
      issuer: 'test',
      users: accounts.users,
      storage,
      onError: () => {},
    })
    const server = createApp(auth, { accounts }, parseEnvironment({})).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const address = server.address()
    const site = { send: createClient(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`) }
    const tokens = await logIn(site)

    callsLeft = 1

    expect(await describeSession(site, tokens, 'A'.repeat(22))).toMatchObject({
      status: 503,
      body: { code: 'jwt_auth_unavailable' },
    })
  })
})

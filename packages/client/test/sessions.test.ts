import { describe, expect, it } from 'vitest'
import { AuthClientError } from '../src/index.js'
import { listSessions, revokeSession } from '../src/sessions.js'
import { openBrowser } from './support/test-browser.js'
import { ada, addCookieJar, brian, password, startServer, type TestServer } from './support/test-server.js'

const logIn = async ({ baseUrl }: TestServer, username = 'ada', transport: 'body' | 'cookie' = 'body') => {
  // Another device, which receives no messages of this one.
  const browser = openBrowser({ hasChannel: false })
  const { auth } = browser.openTab({ baseUrl, transport, tokenStore: browser.storage })
  await auth.login({ username, password })
  return auth
}

describe.each(['body', 'cookie'] as const)('with the transport %s, a client', (transport) => {
  it('lists the sessions of its user, and ends another one', async () => {
    const server = await startServer()
    addCookieJar(server)
    const [phone, auth] = [await logIn(server), await logIn(server, 'ada', transport)]
    const sessions = await listSessions(auth)
    expect(sessions.map(({ isCurrent }) => isCurrent).toSorted()).toEqual([false, true])
    const other = sessions.find(({ isCurrent }) => !isCurrent)
    await revokeSession(auth, other?.id ?? '')
    await revokeSession(auth, other?.id ?? '', { baseUrl: `${server.baseUrl}/` })

    expect(await listSessions(auth)).toMatchObject([{ isCurrent: true }])
    expect((await phone.fetch('/reports')).status).toBe(401)
  })
})

describe('a call for sessions', () => {
  it('rejects with the code of the server for a session of another user', async () => {
    const server = await startServer()
    const [auth, other] = [await logIn(server), await logIn(server, 'brian')]
    const [session] = await listSessions(other)

    await expect(revokeSession(auth, session?.id ?? '')).rejects.toMatchObject({
      code: 'jwt_auth_token_not_found',
      status: 404,
      message: 'Session not found',
    })
    expect([await server.countSessions(ada), await server.countSessions(brian)]).toEqual([1, 1])
  })

  it('returns each member of a session, and rejects a response without sessions', async () => {
    const respond = (body: object) => ({ fetch: async () => Response.json(body) })
    const session = {
      id: 'a',
      current: true,
      created_at: '2030-01-01T00:00:00.000Z',
      last_used_at: '2030-01-02T00:00:00.000Z',
      expires_at: '2030-01-03T00:00:00.000Z',
      user_agent: 'Kiosk/1',
      ip_address: '198.51.100.1',
      last_user_agent: 'Kiosk/2',
      last_ip_address: '198.51.100.2',
      label: 'Phone',
    }
    expect(await listSessions(respond({ sessions: [session] }))).toEqual([
      {
        id: 'a',
        isCurrent: true,
        createdAt: new Date(session.created_at),
        lastUsedAt: new Date(session.last_used_at),
        expiresAt: new Date(session.expires_at),
        userAgent: 'Kiosk/1',
        ipAddress: '198.51.100.1',
        lastUserAgent: 'Kiosk/2',
        lastIpAddress: '198.51.100.2',
        label: 'Phone',
      },
    ])
    await expect(listSessions(respond({}))).rejects.toMatchObject({ code: 'invalid_response' })
  })

  it('keeps an id inside its path', async () => {
    const server = await startServer()
    const auth = await logIn(server)

    await expect(revokeSession(auth, '../me')).rejects.toBeInstanceOf(AuthClientError)
    expect(server.requests.at(-1)).toMatchObject({ method: 'DELETE', url: '/jwt-auth/v1/sessions/..%2Fme' })
  })

  it.each([
    ['without a user', '/jwt-auth/v1', { code: 'jwt_auth_no_auth_header', status: 401 }],
    [
      'for a response of another server',
      '/open?',
      { code: 'invalid_response', message: expect.stringContaining('/open?/sessions responded 200') },
    ],
  ])('rejects %s', async (_, baseUrl, expected) => {
    const server = await startServer()
    const { auth } = openBrowser().openTab({ baseUrl: server.baseUrl })

    await expect(listSessions(auth, { baseUrl })).rejects.toMatchObject(expected)
  })
})

import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import { outcomeOf, rejectionOf } from '../support/outcome.js'
import { ann, bob, createTestDirectory } from '../support/test-directory.js'
import { createTestService } from '../support/test-service.js'
import { startOfTests } from '../support/test-system.js'

const { password: annsPassword, ...annAsUser } = ann

describe('a login', () => {
  it('gives a pair of tokens, the user and the session', async () => {
    const { login } = createTestService()
    expect(await login()).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expiresInSeconds: 3_600,
      refreshToken: expect.stringMatching(/^jwtauth_rt_[A-Za-z0-9_-]{64}$/),
      user: annAsUser,
      sessionId: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
    })
  })

  it('gives tokens that work at once', async () => {
    const { service, login } = createTestService()
    const { accessToken, refreshToken, sessionId } = await login()
    expect(await service.authorize(accessToken)).toMatchObject({ userId: 1, sessionId })
    expect(await service.findAuthorizedUser(accessToken)).toEqual(annAsUser)
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('ok')
  })

  it('opens a session of its own each time', async () => {
    const { service, login } = createTestService()
    const first = await login()
    const second = await login()
    expect(second.sessionId).not.toBe(first.sessionId)
    expect(second.refreshToken).not.toBe(first.refreshToken)
    expect(await service.sessions.list(1)).toHaveLength(2)
  })

  it('keeps the type of a user id that is text', async () => {
    const { service } = createTestService()
    const { accessToken } = await service.authenticate({ username: bob.nicename, password: bob.password })
    expect(await service.authorize(accessToken)).toMatchObject({ userId: 'bob-2' })
  })

  it('keeps what the device is, cut and cleaned', async () => {
    const { service } = createTestService()
    await service.authenticate(
      { username: 'ann', password: annsPassword },
      { device: { userAgent: `${'x'.repeat(600)}`, ipAddress: '192.0.2.1\0', label: 'laptop' } },
    )
    expect(await service.sessions.list(1)).toMatchObject([
      { userAgent: 'x'.repeat(512), ipAddress: '192.0.2.1', label: 'laptop' },
    ])
  })

  it.each([
    ['an unknown user', { username: 'eve', password: annsPassword }, undefined],
    ['a wrong password', { username: 'ann', password: 'battery staple' }, 1],
    ['the password of another', { username: 'ann', password: bob.password }, 1],
  ])(
    'fails alike for %s, opens nothing and announces only the user and the network',
    async (_, credentials, userId) => {
      const { service, events, system } = createTestService()
      const failed = service.authenticate(credentials, { address: '192.0.2.7' })
      expect(await rejectionOf(failed)).toEqual(new AuthError('jwt_auth_failed'))
      expect(await service.sessions.list(1)).toEqual([])
      expect(events).toEqual([{ type: 'login_failed', userId, network: '192.0.2.7', at: new Date(system.now()) }])
    },
  )

  it('fails for a disabled user as for a wrong password', async () => {
    const { service, users, login } = createTestService()
    users.change(1, { disabled: true })
    expect(await rejectionOf(login())).toEqual(new AuthError('jwt_auth_failed'))
    expect(await service.sessions.list(1)).toEqual([])
  })

  it("carries the host's claims, read from the user as they are", async () => {
    const { service, login } = createTestService({ claims: (user) => ({ role: `role of ${user.nicename}` }) })
    const { accessToken } = await login()
    expect((await service.authorize(accessToken)).claims).toMatchObject({ role: 'role of ann', sub: '1' })
  })

  it.each([
    ['throws', () => Promise.reject(new Error('no claims today'))],
    ['throws at once', throwAtOnce],
    ['answers nothing', () => JSON.parse('null')],
    ['answers a list', () => JSON.parse('["admin"]')],
    ['answers text', () => JSON.parse('"admin"')],
    ['takes a registered name', () => ({ sub: '2' })],
    ['takes sid', () => ({ sid: 'x' })],
    ['takes data', () => ({ data: {} })],
    ['takes aud', () => ({ aud: 'reports' })],
    ['takes __proto__', () => JSON.parse('{"__proto__":{"sub":"2"}}')],
    ['answers too much', () => ({ filler: 'x'.repeat(9_000) })],
  ])('fails, and leaves no session that lives, when the claims hook %s', async (_, claims) => {
    const { service, login, events } = createTestService({ claims })
    await rejectionOf(login())
    expect(await service.sessions.list(1)).toEqual([])
    expect(events).toEqual([])
  })

  it.each([
    ['undefined and NaN', () => ({ role: undefined, level: Number.NaN })],
    ['text that is ill-formed', () => ({ role: '\ud83d' })],
    ['a date', () => ({ since: new Date(0) })],
    ['a bigint', () => ({ level: 1n })],
    ['a circle', () => circle],
    ['__proto__ within', () => JSON.parse('{"tenant":{"__proto__":1}}')],
    ['a toJSON of its own', () => ({ toJSON: () => ({ sub: '2' }) })],
    ['another user, written by toJSON', () => ({ toJSON: () => ({ sub: '2', data: { user: { id: 2 } } }) })],
  ])('never gives a token that the guard then refuses, though the claims hook answers %s', async (_, claims) => {
    const { service, login } = createTestService({ claims })
    const outcome = await login().then(
      async ({ accessToken }) => (await service.authorize(accessToken)).claims.sub,
      () => 'no token',
    )
    expect(['1', 'no token']).toContain(outcome)
  })

  it.each(['iss', 'sub', 'aud', 'iat', 'nbf', 'exp', 'jti', 'sid', 'data'])(
    'names the claim that the hook must not take: %s',
    async (name) => {
      const { login } = createTestService({ claims: () => JSON.parse(`{"role":"admin","${name}":9}`) })
      expect(await rejectionOf(login())).toEqual(
        new TypeError(`jwt-auth: option \`claims\` returned the reserved claim \`${name}\`; choose another name.`),
      )
    },
  )

  it('is unavailable when its session is over before there are tokens, because the users answered too slowly', async () => {
    const { system, users } = createTestService()
    const { login, service } = createTestService({
      system,
      sessionIdleTimeoutSeconds: 1,
      users: {
        ...users,
        findById: async (id) => {
          system.advance(1_500)
          return users.findById(id)
        },
      },
    })
    expect(await rejectionOf(login())).toMatchObject({
      code: 'jwt_auth_unavailable',
      cause: { message: expect.stringContaining('the session was over') },
    })
    expect(await service.sessions.list(1)).toEqual([])
  })

  it.each([
    ['login_failed', 'the claims hook fails', { claims: throwAtOnce }],
    ['user_unavailable', 'the user is gone by then', { users: { ...createTestDirectory(), findById: findNobody } }],
  ])('leaves the reason %s with the session when %s', async (endReason, _, options) => {
    const storage = memoryStorage({ quiet: true })
    const opened: string[] = []
    const create: typeof storage.create = (session) => {
      opened.push(session.id)
      return storage.create(session)
    }
    const { login } = createTestService({ ...options, storage: { ...storage, create } })
    await rejectionOf(login())
    expect(await storage.findByIds(opened)).toMatchObject([{ endedAt: startOfTests, endReason }])
  })

  it('stores when and for whom', async () => {
    const { storage, login } = createTestService()
    const { sessionId } = await login()
    expect(await storage.findByIds([sessionId])).toMatchObject([
      { userId: 1, createdAt: startOfTests, lastUsedAt: startOfTests, credentialVersion: 'v1', endedAt: null },
    ])
  })
})

const circle: Record<string, unknown> = {}
circle['self'] = circle

function throwAtOnce(): never {
  throw new Error('no claims today')
}

async function findNobody(): Promise<undefined> {
  return undefined
}

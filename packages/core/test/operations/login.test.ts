import { memoryStorage } from '@jwt-auth/storage-memory'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann, bob, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import type { TokenServiceOptions } from '../../src/index.js'
import { usageError } from '../../src/option-checks.js'

const { password: annsPassword, ...annAsUser } = ann

describe('a login', () => {
  it('returns a pair of tokens, the user and the session', async () => {
    const { login } = createTestService()
    expect(await login()).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expiresInSeconds: 3_600,
      profile: {},
      tokenType: 'Bearer',
      refreshToken: expect.stringMatching(/^jwtauth_rt_[A-Za-z0-9_-]{64}$/),
      sessionExpiresInSeconds: expect.any(Number),
      // JSON omits the credential version.
      user: { ...annAsUser, credentialVersion: undefined },
      sessionId: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
    })
  })

  it.each([
    ['an unknown user', { username: 'eve', password: annsPassword }, undefined, 'unknown_user'],
    ['a wrong password', { username: 'ann', password: 'battery staple' }, 1, 'wrong_password'],
    ['the password of another user', { username: 'ann', password: bob.password }, 1, 'wrong_password'],
  ])(
    'fails with the same error for %s, opens no session, and announces neither the user name nor the password',
    async (_, credentials, userId, reason) => {
      const { service, events, system } = createTestService()
      const failed = service.login(credentials, { address: '192.0.2.7' })
      expect(await rejectionOf(failed)).toEqual(new AuthError('jwt_auth_failed'))
      expect(await service.sessions.list(1)).toEqual([])
      const from = { network: '192.0.2.7', ipAddress: '192.0.2.7' }
      expect(events).toEqual([{ type: 'login_failed', reason, userId, ...from, at: new Date(system.now()) }])
    },
  )

  it('fails for a disabled user as for a wrong password, and announces the reason', async () => {
    const { service, users, events, login } = createTestService()
    users.change(1, { disabled: true })
    expect(await rejectionOf(login())).toEqual(new AuthError('jwt_auth_failed'))
    expect(await service.sessions.list(1)).toEqual([])
    expect(events).toMatchObject([{ type: 'login_failed', reason: 'user_disabled', userId: 1, ipAddress: null }])
  })

  it('calls the claims hook with the present user, and puts the claims into the token', async () => {
    const { service, login, errors } = createTestService({ claims: (user) => ({ role: `role of ${user.nicename}` }) })
    const { accessToken } = await login()
    expect(errors).toEqual([])
    expect((await service.authorize(accessToken)).claims).toMatchObject({ role: 'role of ann', sub: '1' })
  })

  const allMembers = 'id, email, nicename, displayName, credentialVersion'
  it.each<[string, TokenServiceOptions['claims'], string]>([
    ['the user', (user) => user, allMembers],
    ['a copy of the user', (user) => ({ ...user, role: 'reader' }), allMembers],
    ['the user as a claim', (user) => ({ user }), 'user'],
    ['a copy of the user as a claim', (user) => ({ account: { ...user } }), 'account'],
    ['a row of a table', () => ({ role: 'reader', password_hash: '$2b$12$' }), 'role, password_hash'],
  ])('reports once that the claims hook returns %s, and names the members', async (_, claims, members) => {
    const { login, errors } = createTestService({ claims })
    await login()
    await login()
    const message = expect.stringContaining(`contains ${members}`)
    expect(errors).toMatchObject([{ cause: { message } }])
  })

  it.each([
    ['rejects', () => Promise.reject(new Error('no claims today'))],
    ['throws', throwNow],
    ['returns null', () => JSON.parse('null')],
    ['returns a list', () => JSON.parse('["admin"]')],
    ['returns text', () => JSON.parse('"admin"')],
    ['returns __proto__', () => JSON.parse('{"__proto__":{"sub":"2"}}')],
    ['returns too many bytes', () => ({ filler: 'x'.repeat(9_000) })],
  ])('fails and leaves no active session when the claims hook %s', async (_, claims) => {
    const { service, login, events } = createTestService({ claims })
    await rejectionOf(login())
    expect(await service.sessions.list(1)).toEqual([])
    expect(events).toEqual([])
  })

  it.each([
    ['ill-formed text', () => ({ role: '\ud83d' })],
    ['a circular object', () => circle],
    ['__proto__ in a nested object', () => JSON.parse('{"tenant":{"__proto__":1}}')],
    ['an object with toJSON', () => ({ toJSON: () => ({ sub: '2' }) })],
    ['another user, written by toJSON', () => ({ toJSON: () => ({ sub: '2', data: { user: { id: 2 } } }) })],
  ])('never issues a token that the guard refuses when the claims hook returns %s', async (_, claims) => {
    const { service, login } = createTestService({ claims })
    const outcome = await login().then(
      async ({ accessToken }) => (await service.authorize(accessToken)).claims.sub,
      () => 'no token',
    )
    expect(['1', 'no token']).toContain(outcome)
  })

  it.each<[string, () => object, string]>([
    ['a function', () => ({ role: () => 'admin' }), '`role` is a function'],
    ['a method', () => ({ roles: new Map().values }), '`roles` is a function'],
    ['a symbol', () => ({ role: Symbol('admin') }), '`role` is a symbol'],
    ['a bigint', () => ({ level: 1n }), '`level` is a bigint'],
    ['NaN', () => ({ level: Number.NaN }), '`level` is NaN'],
    ['undefined in a list', () => ({ roles: ['admin', undefined] }), '`1` is undefined'],
    ['a promise', () => ({ role: Promise.resolve('admin') }), '`role` is a promise without `await`'],
    ['a Set', () => ({ roles: new Set(['a']) }), '`roles` is a Set'],
    ['a Map', () => new Map([['role', 'a']]), 'the value is a Map'],
    ['a regular expression', () => ({ path: /x/ }), '`path` is a RegExp'],
    ['an error', () => ({ last: new Error('x') }), '`last` is a Error'],
    ...[Buffer.alloc(2), new Uint8Array(2)].map((bytes): [string, () => object, string] => [
      `bytes of ${bytes.constructor.name}`,
      () => ({ id: bytes }),
      '`id` is bytes',
    ]),
    ['a function in an object', () => ({ tenant: { id: () => 1 } }), '`id` is a function'],
  ])('names the claim that JSON cannot contain: %s', async (_, claims, problem) => {
    const { login } = createTestService({ claims })
    expect(await rejectionOf(login())).toEqual(
      usageError('claims', `option \`claims\` must return JSON data, but ${problem}, which JSON cannot contain.`),
    )
  })

  it.each<[string, () => object, string]>([
    ['nothing', () => new Map().get('claims'), 'it returned nothing. Does the function lack a `return`?'],
    ['a list', () => ['admin'], 'it returned an array.'],
  ])('says what the claims hook returned: %s', async (_, claims, message) => {
    const { login } = createTestService({ claims })
    await expect(login()).rejects.toThrow(message)
  })

  it('writes dates as text, and omits claims that are undefined', async () => {
    const { service, login } = createTestService({ claims: () => ({ since: new Date(0), role: undefined }) })
    const { claims } = await service.authorize((await login()).accessToken)
    expect(claims).toMatchObject({ since: '1970-01-01T00:00:00.000Z' })
    expect(Object.hasOwn(claims, 'role')).toBe(false)
  })

  it.each([
    ...['iss', 'sub', 'aud', 'iat', 'nbf', 'exp', 'auth_time', 'jti', 'sid', 'cnf', 'data'],
    ...['amr', 'acr', 'act', 'may_act', 'azp', 'events', 'sub_id'],
  ])('names the reserved claim that the claims hook returned: %s', async (name) => {
    const { login } = createTestService({ claims: () => JSON.parse(`{"role":"admin","${name}":9}`) })
    expect(await rejectionOf(login())).toEqual(
      usageError('claims', `option \`claims\` returned the reserved claim \`${name}\`; choose another name.`),
    )
  })

  it.each(['token', 'refresh_token', 'user_id', 'id', 'name', 'data', 'refresh_expires_in', 'scope', 'mfa_token'])(
    'names the reserved member that the option profile returned, and leaves no active session: %s',
    async (name) => {
      const { service, login } = createTestService({ profile: () => ({ roles: [], [name]: 9 }) })
      expect(await rejectionOf(login())).toEqual(
        usageError('profile', `option \`profile\` returned the reserved member \`${name}\`; choose another name.`),
      )
      expect(await service.sessions.list(1)).toEqual([])
    },
  )

  it.each<[string, () => object]>([
    ['a function', () => ({ avatar: () => '' })],
    ['a list', () => []],
    ['nothing', () => new Map().get('profile')],
  ])('names the option profile when it returns %s', async (_, profile) => {
    const { login } = createTestService({ profile })
    await expect(login()).rejects.toThrow('option `profile` must return ')
  })

  it('fails with jwt_auth_unavailable when the user directory is so slow that the session expires before tokens are issued', async () => {
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
      cause: { message: expect.stringContaining('the session had expired') },
    })
    expect(await service.sessions.list(1)).toEqual([])
  })

  it.each([
    ['login_failed', 'the claims hook fails', { claims: throwNow }],
    ['user_unavailable', 'the user no longer exists', { users: { ...createTestDirectory(), findById: findNobody } }],
  ])('ends the session with the reason %s when %s', async (endReason, _, options) => {
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
})

const circle: Record<string, unknown> = {}
circle['self'] = circle

function throwNow(): never {
  throw new Error('no claims today')
}

async function findNobody(): Promise<undefined> {
  return undefined
}

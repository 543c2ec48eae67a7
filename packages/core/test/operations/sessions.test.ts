import { memoryStorage } from '@jwt-auth/storage-memory'
import { callUntyped, outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { SessionRecord } from '../../src/ports/session-storage.js'
import { endReasons } from '../../src/session/end-reason.js'

const { password: _, ...annAsUser } = ann

const day = 24 * 3_600_000

/** A well-formed id of no session. */
const unknownId = 'A'.repeat(22)

/** A service that records its calls of storage. */
const createWatchedService = () => {
  const asked: string[] = []
  const memory = memoryStorage({ quiet: true })
  const storage = new Proxy(memory, {
    get: (target, method) => {
      const run: unknown = Reflect.get(target, method)
      if (typeof run !== 'function') return run
      return (...args: readonly unknown[]) => {
        asked.push(String(method))
        return Reflect.apply(run, target, args)
      }
    },
  })
  return { ...createTestService({ storage }), storage: memory, asked }
}

describe('sessions.create', () => {
  it('returns a pair of tokens that are accepted like those of a login', async () => {
    const { service } = createTestService()
    const { accessToken, refreshToken, sessionId, user } = await service.sessions.create('bob-2', {
      device: { label: 'SSO' },
    })
    expect(user).toMatchObject({ id: 'bob-2', nicename: 'bob' })
    expect(await service.authorize(accessToken)).toMatchObject({ userId: 'bob-2', sessionId })
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('ok')
    expect(await service.sessions.list('bob-2')).toMatchObject([{ id: sessionId, label: 'SSO' }])
  })

  it.each([99, '1'])('fails for an unknown user, and reports the reason once: %j', async (userId) => {
    const { service, errors } = createTestService()
    const detail =
      "sessions.create opened no session: `users.findById` found no user with this id. Pass ids with the type that `users` returns: 1 and '1' are different ids."
    for (const call of [1, 2]) {
      const thrown = await rejectionOf(service.sessions.create(userId))
      expect(thrown, `call ${call}`).toMatchObject({ code: 'jwt_auth_failed', detail })
    }
    expect(errors).toMatchObject([{ cause: { message: `jwt-auth: ${detail}` } }])
  })

  it('fails for a disabled user', async () => {
    const { service, users } = createTestService()
    users.change(1, { disabled: true })
    expect(await rejectionOf(service.sessions.create(1))).toMatchObject({
      code: 'jwt_auth_failed',
      detail: 'sessions.create opened no session: the user is disabled',
    })
  })
})

describe('sessions.create with the time of the login', () => {
  const loggedInAt = startOfTests - 600_000

  it('issues tokens with this time, also after a refresh, for a session that lasts as long as any other', async () => {
    const { service, system } = createTestService()
    const plain = await service.sessions.create(1)
    const { accessToken, refreshToken, sessionExpiresInSeconds } = await service.sessions.create(1, {
      authenticatedAt: new Date(loggedInAt),
    })
    expect(sessionExpiresInSeconds).toBe(plain.sessionExpiresInSeconds)
    system.advance(60_000)
    const refreshed = await service.refresh(refreshToken)
    for (const token of [accessToken, refreshed.accessToken]) {
      expect((await service.authorize(token)).claims.auth_time).toBe(loggedInAt / 1000)
      expect(await outcomeOf(service.authorize(token, { maxAuthAgeSeconds: 660 }))).toBe('ok')
      expect(await outcomeOf(service.authorize(token, { maxAuthAgeSeconds: 659 }))).toBe(
        'jwt_auth_insufficient_user_authentication',
      )
    }
  })

  it('emits an event with the present time', async () => {
    const { service, events } = createTestService()
    await service.sessions.create(1, { authenticatedAt: new Date(loggedInAt) })
    expect(events).toMatchObject([{ type: 'session_created', at: new Date(startOfTests) }])
  })

  it.each([
    ['in the future', new Date(startOfTests + 1)],
    ['invalid', new Date(Number.NaN)],
    ['a number', loggedInAt],
    ['null', null],
  ])('throws a TypeError for a time that is %s', async (_, authenticatedAt) => {
    const { service } = createTestService()
    await expect(callUntyped(service.sessions.create, 1, { authenticatedAt })).rejects.toThrow(
      /^jwt-auth: option `authenticatedAt` must be a valid Date, not in the future/,
    )
    expect(await service.sessions.list(1)).toEqual([])
  })
})

describe('sessions.create with attributes', () => {
  const attributes = { tenant: 'north', act: { sub: 'admin-7' }, note: 'é \u0000', level: 1.5, tags: [null, true] }

  it('passes them to the option `claims` with the session, at the login and at each refresh, and lists them', async () => {
    const asked: unknown[] = []
    const { service, system } = createTestService({
      claims: (user, session) => {
        asked.push([user.id, session])
        return { tenant: session.attributes['tenant'] }
      },
    })
    const { sessionId: id, ...first } = await service.sessions.create(1, { attributes })
    attributes.tags.push(false)
    system.advance(60_000)
    const second = await service.refresh(first.refreshToken)
    system.advance(60_000)
    const third = await service.refresh(second.refreshToken)
    const session = { id, createdAt: new Date(startOfTests), attributes: { ...attributes, tags: [null, true] } }
    expect(asked).toEqual([1, 2, 3].map(() => [1, session]))
    for (const { accessToken } of [first, second, third])
      expect((await service.authorize(accessToken)).claims).toMatchObject({ tenant: 'north' })
    expect(await service.sessions.list(1)).toMatchObject([session])
  })

  it('puts `amr`, `acr` and `act` into every token, and no other attribute', async () => {
    const { service } = createTestService()
    const claims = { amr: ['pwd', 'otp'], acr: '2', act: { sub: 'admin-7', act: { sub: 'root' } } }
    const { user: _, ...first } = await service.sessions.create(1, {
      attributes: { ...claims, tenant: 'north', sub: '2', constructor: 'x' },
    })
    const { accessToken } = await service.refresh(first.refreshToken)
    for (const token of [first.accessToken, accessToken]) {
      const auth = await service.authorize(token)
      expect(auth.claims).toMatchObject({ ...claims, sub: '1' })
      expect(Object.keys(auth.claims)).not.toEqual(expect.arrayContaining(['tenant']))
      expect(Object.hasOwn(auth.claims, 'constructor')).toBe(false)
    }
  })

  it('passes an empty object for a login without attributes', async () => {
    const asked: object[] = []
    const claims = (_: object, session: { readonly attributes: object }) => asked.push(session.attributes) && {}
    const { service, login } = createTestService({ claims })
    await service.refresh((await login()).refreshToken)
    expect(asked).toEqual([{}, {}])
  })

  it('accepts 1,024 characters of JSON, members without a prototype, and those that are undefined', async () => {
    const { service } = createTestService()
    const longest = { text: 'x'.repeat(1_024 - JSON.stringify({ text: '' }).length) }
    await service.sessions.create(1, { attributes: longest })
    await service.sessions.create(1, { attributes: Object.assign(Object.create(null), { act: undefined }) })
    expect((await service.sessions.list(1)).map((session) => session.attributes)).toEqual([longest, {}])
  })

  const circle: object[] = []
  circle.push({ circle })

  it.each<[string, unknown, string]>([
    ['a function', { role: () => 'admin' }, '`role` is a function'],
    ['a symbol', { role: Symbol('admin') }, '`role` is a symbol'],
    ['a bigint', { level: 1n }, '`level` is a bigint'],
    ['infinity', { level: Number.POSITIVE_INFINITY }, '`level` is Infinity'],
    ['undefined in a list', { amr: [undefined] }, '`0` is undefined'],
    ['a date', { at: new Date(0) }, '`at` is an instance of a class'],
    ['an instance of a class', { at: { url: new URL('https://a.example') } }, '`url` is an instance of a class'],
    ['bytes', { id: Buffer.alloc(2) }, '`id` is bytes'],
    ['a circle', { circle }, 'JSON data, without circular references'],
    ['half a surrogate pair', { text: '\ud83d' }, 'well-formed Unicode'],
    ['__proto__', JSON.parse('{"__proto__":1}'), '`__proto__`; received an object'],
    ['a list', ['admin'], 'received an array'],
    ['null', null, 'received null'],
    ['text', '{}', 'received a string'],
    ['`amr` that is text', { amr: 'pwd' }, 'has an invalid `amr`'],
    ['an empty `amr`', { amr: [] }, 'has an invalid `amr`'],
    ['`acr` that is a number', { acr: 2 }, 'has an invalid `acr`'],
    ['`act` that is text', { act: 'admin-7' }, 'has an invalid `act`'],
    ['`act` without `sub`', { act: { id: 7 } }, 'has an invalid `act`'],
    ['`act` with a number', { act: { sub: 7 } }, 'has an invalid `act`'],
    ...['may_act', 'azp', 'events', 'sub_id'].map((name): [string, object, string] => [
      `\`${name}\``,
      { [name]: 'x' },
      `has an invalid \`${name}\``,
    ]),
    ['more than 1,024 characters', { text: 'x'.repeat(1_014) }, 'at most 1024 characters of JSON'],
  ])('throws a TypeError for %s, and stores nothing', async (_, wrong, problem) => {
    const { service, asked } = createWatchedService()
    const create = async () => callUntyped(service.sessions.create, 1, { attributes: wrong })
    const thrown = await rejectionOf(create())
    expect(thrown).toBeInstanceOf(TypeError)
    expect(thrown).toMatchObject({ message: expect.stringContaining('option `attributes` ') })
    expect(thrown).toMatchObject({ message: expect.stringContaining(problem) })
    expect(asked).toEqual([])
  })

  it.each(['no json', '[]', '{"a":1,"a":2}'])(
    'fails a refresh, and omits the session from lists, when the stored attributes are %s',
    async (stored) => {
      const memory = memoryStorage({ quiet: true })
      const storage = Object.assign(Object.create(memory), {
        create: (session: SessionRecord) => memory.create({ ...session, attributes: stored }),
      })
      const { service, errors } = createTestService({ storage })
      const { refreshToken, sessionId } = await service.sessions.create(1, { attributes })
      expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_unavailable')
      expect(await service.sessions.list(1)).toEqual([])
      expect(errors).toMatchObject([{ detail: `storage failed for session ${sessionId}` }])
    },
  )
})

describe('sessions.create with an absolute timeout', () => {
  it('ends the session then, however often it is refreshed', async () => {
    const { service, system } = createTestService()
    const { sessionExpiresInSeconds, ...first } = await service.sessions.create(1, { absoluteTimeoutSeconds: 600 })
    expect(sessionExpiresInSeconds).toBe(600)
    system.advance(599_000 - 1)
    const refreshed = await service.refresh(first.refreshToken)
    expect(refreshed).toMatchObject({ expiresInSeconds: 2, sessionExpiresInSeconds: 2 })
    system.advance(1_001)
    expect(await outcomeOf(service.refresh(refreshed.refreshToken))).toBe('jwt_auth_invalid_refresh_token')
  })

  it.each([0, 1.5, 90 * 86_400 + 1, '60', null])('throws a TypeError for %j, and opens no session', async (wrong) => {
    const { service } = createTestService()
    await expect(callUntyped(service.sessions.create, 1, { absoluteTimeoutSeconds: wrong })).rejects.toThrow(
      /^jwt-auth: option `absoluteTimeoutSeconds` must be a whole number of seconds from 1 to 7776000/,
    )
    expect(await service.sessions.list(1)).toEqual([])
  })
})

describe('sessions.list', () => {
  it('contains exactly the public fields of each session', async () => {
    const { service, system } = createTestService()
    const device = { userAgent: 'Mozilla/5.0', ipAddress: '192.0.2.1', label: 'laptop' }
    const { sessionId, refreshToken } = await service.sessions.create(1, { device })
    system.advance(60_000)
    await service.refresh(refreshToken, { device: { userAgent: 'curl/8', ipAddress: '192.0.2.9' } })
    expect(await service.sessions.list(1)).toEqual([
      {
        id: sessionId,
        createdAt: new Date(startOfTests),
        lastUsedAt: new Date(startOfTests + 60_000),
        expiresAt: new Date(startOfTests + 60_000 + 30 * day),
        endedAt: null,
        endReason: null,
        ...device,
        lastUserAgent: 'curl/8',
        lastIpAddress: '192.0.2.9',
        isBound: false,
        attributes: {},
      },
    ])
  })

  it('contains the sessions of the user only, newest first', async () => {
    const { service, system } = createTestService()
    const first = await service.sessions.create(1)
    system.advance(1)
    await service.sessions.create('bob-2')
    const second = await service.sessions.create(1)
    expect((await service.sessions.list(1)).map(({ id }) => id)).toEqual([second.sessionId, first.sessionId])
    expect(await service.sessions.list('1')).toEqual([])
  })
})

describe('sessions.list with ended sessions', () => {
  it('contains the active sessions, then the ended and expired ones with time and reason, latest end first', async () => {
    const { service, system } = createTestService({ sessionIdleTimeoutSeconds: 600 })
    const expiring = await service.sessions.create(1)
    const early = await service.sessions.create(1)
    await service.revoke(early.accessToken)
    system.advance(300_000)
    const older = await service.sessions.create(1)
    system.advance(1)
    const newer = await service.sessions.create(1)
    const late = await service.sessions.create(1)
    await service.sessions.create('bob-2')
    system.advance(300_000)
    await service.sessions.revoke(1, late.sessionId)
    const listed = await service.sessions.list(1, { includeEnded: true })
    expect(listed.map(({ id, endedAt, endReason }) => [id, endedAt, endReason])).toEqual([
      [newer.sessionId, null, null],
      [older.sessionId, null, null],
      [late.sessionId, new Date(startOfTests + 600_001), 'revoked'],
      [expiring.sessionId, new Date(startOfTests + 600_000), 'expired'],
      [early.sessionId, new Date(startOfTests), 'revoked'],
    ])
  })

  it.each([
    ['an unknown option', { includeEndd: true }, 'sessions.list has no option `includeEndd`'],
    ['text', { includeEnded: 'yes' }, 'option `includeEnded` must be true or false'],
  ])('rejects %s', async (_, options, message) => {
    const { service } = createTestService()
    await expect(callUntyped(service.sessions.list, 1, options)).rejects.toThrow(message)
  })
})

describe('sessions.revoke', () => {
  it('ends a session once, and then returns that it has already ended', async () => {
    const { service, storage, events } = createTestService()
    const { sessionId, accessToken } = await service.sessions.create(1)
    expect(await service.sessions.revoke(1, sessionId)).toBe('ended')
    expect(await service.sessions.revoke(1, sessionId)).toBe('already-ended')
    expect(await outcomeOf(service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
    expect(await storage.findByIds([sessionId])).toMatchObject([{ endReason: 'revoked' }])
    expect(events.map(({ type }) => type)).toEqual(['session_created', 'session_ended'])
  })

  it.each([
    ['another user', 'bob-2'],
    ['a user with the same id of another type', '1'],
  ])('does not find the session for %s, and the session stays active', async (_, userId) => {
    const { service } = createTestService()
    const { sessionId, accessToken } = await service.sessions.create(1)
    await service.sessions.create('bob-2')
    expect(await service.sessions.revoke(userId, sessionId)).toBe('not-found')
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
  })

  it('does not find a session with a malformed id, and does not query storage', async () => {
    const { service, asked } = createWatchedService()
    expect(await service.sessions.revoke(1, 'unknown')).toBe('not-found')
    expect(asked).toEqual([])
  })
})

describe('sessions.revokeAll', () => {
  it('ends all sessions of the user and returns their number', async () => {
    const { service, storage, events, system } = createTestService()
    const first = await service.sessions.create(1)
    const second = await service.sessions.create(1)
    const bobs = await service.sessions.create('bob-2')
    system.advance(5)
    expect(await service.sessions.revokeAll(1)).toBe(2)
    for (const { accessToken, refreshToken } of [first, second]) {
      expect(await outcomeOf(service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
      expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_invalid_refresh_token')
    }
    expect(await outcomeOf(service.authorize(bobs.accessToken))).toBe('ok')
    expect(await storage.findByIds([first.sessionId])).toMatchObject([
      { endedAt: startOfTests + 5, endReason: 'revoked_all' },
    ])
    expect(events.at(-1)).toEqual({
      type: 'sessions_ended',
      userId: 1,
      count: 2,
      at: new Date(startOfTests + 5),
      reason: 'revoked_all',
    })
  })

  it('stores the reason of the application', async () => {
    const { service, storage, events } = createTestService()
    const { sessionId } = await service.sessions.create(1)
    await service.sessions.revokeAll(1, { reason: 'password_changed' })
    expect(await storage.findByIds([sessionId])).toMatchObject([{ endReason: 'password_changed' }])
    expect(events.at(-1)).toMatchObject({ reason: 'password_changed' })
  })

  it.each(Object.keys(endReasons).filter((reason) => reason !== 'revoked_all'))(
    'rejects %s, a reason of the service itself',
    async (reason) => {
      const { service } = createTestService()
      await expect(service.sessions.revokeAll(1, { reason })).rejects.toThrow(
        'option `reason` is a reason of the service itself; pass another text, such as `password_changed`.',
      )
    },
  )

  it.each([[''], ['x'.repeat(65)], [7], [['x']]])('rejects a reason that storage cannot store (%#)', async (reason) => {
    const { service } = createTestService()
    const { accessToken } = await service.sessions.create(1)
    const ending = Promise.resolve(callUntyped(service.sessions.revokeAll, 1, { reason }))
    await expect(ending).rejects.toThrow(TypeError)
    await expect(ending).rejects.toThrow('option `reason` must be 1 to 64 characters')
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
  })
})

describe('an invalid user id', () => {
  it.each(['create', 'list', 'revokeAll'] as const)('is rejected by sessions.%s', async (method) => {
    const { service } = createTestService()
    await expect(callUntyped(service.sessions[method], undefined)).rejects.toThrow(
      'option `userId` must be a whole number, or 1 to 255 characters of text',
    )
  })
})

describe('a user id of the other type', () => {
  const typeError = (method: string, received: string, expected: string) =>
    new TypeError(
      `jwt-auth: sessions.${method} received a user id of the type ${received}, but the ids of your users have the type ${expected}. Convert it: 1 and '1' are different ids.`,
    )

  it('is refused if the user has sessions, which stay active', async () => {
    const { service } = createTestService()
    const { sessionId, accessToken } = await service.sessions.create(1)
    expect(await rejectionOf(service.sessions.revokeAll('1'))).toEqual(typeError('revokeAll', 'string', 'number'))
    expect(await rejectionOf(service.sessions.list('1'))).toEqual(typeError('list', 'string', 'number'))
    expect(await rejectionOf(service.sessions.create('1'))).toEqual(typeError('create', 'string', 'number'))
    const revocation = service.sessions.revoke('1', sessionId)
    expect(await rejectionOf(revocation)).toEqual(typeError('revoke', 'string', 'number'))
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
  })

  it('is refused if the user has no sessions, and only once the process has seen ids of the right type', async () => {
    const { service } = createTestService()
    expect(await service.sessions.revokeAll('99')).toBe(0)
    await service.sessions.create(1)
    expect(await rejectionOf(service.sessions.revokeAll('99'))).toEqual(typeError('revokeAll', 'string', 'number'))
    expect(await service.sessions.revokeAll(99)).toBe(0)
  })

  it('is refused as a number if ids are text', async () => {
    const found = { ...annAsUser, id: '7' }
    const users = { ...createTestDirectory(), findById: async () => found }
    const { service } = createTestService({ users })
    await service.sessions.create('7')
    expect(await rejectionOf(service.sessions.revokeAll(7))).toEqual(typeError('revokeAll', 'number', 'string'))
  })

  it('is another user where ids have both types', async () => {
    const { service } = createTestService()
    const { accessToken } = await service.sessions.create(1)
    await service.sessions.create('bob-2')
    expect(await service.sessions.revokeAll('1')).toBe(0)
    expect(await service.sessions.list('1')).toEqual([])
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
  })

  it.each(['01', '1.0', ' 1', '1e0', '9007199254740993', 'ann'])('is no other form of a number: %j', async (userId) => {
    const { service } = createTestService()
    await service.sessions.create(1)
    expect(await service.sessions.revokeAll(userId)).toBe(0)
  })
})

describe('the error for a user id of another kind', () => {
  it.each<[string, unknown, string]>([
    ['a promise', Promise.resolve(1), 'received a promise.'],
    ['a list of rows', [{ id: 1 }], 'received an array.'],
    ['a user', annAsUser, 'received an object.'],
    ['a bigint', 1n, 'received a bigint.'],
  ])('names what it received: %s', async (_, userId, message) => {
    const { service } = createTestService()
    const { create, list, revokeAll } = service.sessions
    for (const call of [create, list, revokeAll]) await expect(callUntyped(call, userId)).rejects.toThrow(message)
    await expect(callUntyped(service.requirePassword, userId, 'x')).rejects.toThrow(message)
    await expect(callUntyped(service.sessions.revoke, userId, unknownId)).rejects.toThrow(message)
  })

  it('names the id of a session that is no text', async () => {
    const { service } = createTestService()
    await expect(callUntyped(service.sessions.revoke, 1)).rejects.toThrow(
      'option `sessionId` must be the `id` of a listed session; received nothing.',
    )
  })
})

import { inspect } from 'node:util'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { AuthenticationResult, TokenService } from '../../src/index.js'
import type { sessionStorageMethods } from '../../src/internal.js'

type Method = (typeof sessionStorageMethods)[number]

type Operation = readonly [
  title: string,
  methods: readonly Method[],
  run: (service: TokenService, grant: AuthenticationResult) => Promise<unknown>,
]

const operations: readonly Operation[] = [
  ['a login', ['create'], (service) => service.login({ username: 'ann', password: 'correct horse' })],
  ['a refresh', ['findBySelectorHash', 'rotate'], (service, { refreshToken }) => service.refresh(refreshToken)],
  ['the guard', ['findByIds'], (service, { accessToken }) => service.authorize(accessToken)],
  ['a revocation', ['end'], (service, { accessToken }) => service.revoke(accessToken)],
  ['a logout', ['findBySelectorHash', 'end'], (service, { refreshToken }) => service.logout({ refreshToken })],
  ['sessions.create', ['create'], ({ sessions }) => sessions.create(1)],
  ['sessions.list', ['list'], ({ sessions }) => sessions.list(1)],
  ['sessions.revoke', ['findByIds', 'end'], ({ sessions }, { sessionId }) => sessions.revoke(1, sessionId)],
  ['sessions.revokeAll', ['endAllForUser'], ({ sessions }) => sessions.revokeAll(1)],
  ['sessions.purge', ['deleteExpired'], ({ sessions }) => sessions.purge()],
  [
    'sessions.revokeAllCreatedBefore',
    ['endCreatedBefore'],
    ({ sessions }) => sessions.revokeAllCreatedBefore(new Date(8e15)),
  ],
]

/** Results that violate the contract. `create` has none, because it returns nothing. */
const nonsense: Readonly<Record<Exclude<Method, 'create'>, readonly unknown[]>> = {
  findByIds: [undefined, null, {}, 'sessions', [null], [undefined], ['session']],
  findBySelectorHash: [null, true, 'session', 0, {}, []],
  rotate: [undefined, null, true, 1, 'ok', 'ROTATED', ['rotated'], { outcome: 'rotated' }],
  end: [undefined, null, true, 'ended', { outcome: 'ok' }, { outcome: 'not found' }, {}],
  endAllForUser: [undefined, null, true, '2', -1, 1.5, Number.NaN, 2n, [1]],
  list: [undefined, null, {}, 0, [null], ['session'], [{ id: 1, error: '' }], [{ id: 'a' }], [{ error: '' }]],
  endCreatedBefore: [undefined, null, true, '2', -1, 1.5, Number.NaN, 2n, [1]],
  deleteExpired: [undefined, null, true, '2', -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY],
}

/** Each method, the title of an operation that calls it, the code of the error, and the operation. */
const failures = operations.flatMap(([title, methods, run]) => {
  const code = ['a revocation', 'a logout'].includes(title) ? 'jwt_auth_revoke_failed' : 'jwt_auth_unavailable'
  return methods.map((method) => [method, title, code, run] as const)
})

const wrongResultsOf = (method: Method): readonly unknown[] => (method === 'create' ? [] : nonsense[method])

/** Opens a session, and returns a service in whose storage `method` calls `respond` instead. */
const createFailingService = async (method: Method, respond: () => unknown) => {
  const storage = memoryStorage({ quiet: true })
  const grant = await createTestService({ storage }).login()
  const failing = createTestService({
    storage: new Proxy(storage, { get: (target, name) => (name === method ? respond : Reflect.get(target, name)) }),
  })
  return { ...failing, grant, storage }
}

describe('a storage that fails', () => {
  const cause = new Error('connection lost')
  const ways: readonly (() => unknown)[] = [
    () => Promise.reject(cause),
    () => {
      throw cause
    },
  ]

  it.each(failures)(
    'in %s, by rejecting or by throwing, never grants access and changes no existing session: %s fails with %s',
    async (method, _, code, run) => {
      for (const fail of ways) {
        const { service, storage, grant } = await createFailingService(method, fail)
        const before = await storage.findByIds([grant.sessionId])
        const error = await rejectionOf(run(service, grant))
        expect(error).toMatchObject({ code })
        expect(error).toHaveProperty('cause', cause)
        expect(await storage.findByIds([grant.sessionId])).toEqual(before)
      }
    },
  )
})

describe('a storage that violates its contract', () => {
  it.each(
    failures.flatMap(([method, title, code, run]) =>
      wrongResultsOf(method).map(
        (result) =>
          [method, inspect(result).replace('[ undefined ]', '[undefined]'), title, { result, code, run }] as const,
      ),
    ),
  )(
    'is reported as a failure of storage: %s returns %s to %s',
    async (method, _shown, _title, { result, code, run }) => {
      const { service, grant } = await createFailingService(method, () => Promise.resolve(result))
      const error = await rejectionOf(run(service, grant))
      expect(error).toMatchObject({ code })
      expect(error).toHaveProperty('cause', expect.any(TypeError))
      expect(error).toHaveProperty('cause.message', expect.stringContaining(`storage.${method} resolved to `))
    },
  )

  it('is reported with the name of the method, the kind of value, and the fix', async () => {
    const { service, grant } = await createFailingService('rotate', () => Promise.resolve('ok'))
    expect(await rejectionOf(service.refresh(grant.refreshToken))).toHaveProperty(
      'cause.message',
      "jwt-auth: storage.rotate resolved to a string; it must resolve to 'rotated' or 'stale'. Correct the storage adapter, and test it with @jwt-auth/storage-conformance.",
    )
  })

  it('by returning a result without a promise does no harm', async () => {
    const { service, grant } = await createFailingService('rotate', () => 'rotated')
    expect(await outcomeOf(service.refresh(grant.refreshToken))).toBe('ok')
  })

  it('by returning another session grants no access', async () => {
    const storage = memoryStorage({ quiet: true })
    const before = createTestService({ storage })
    const { accessToken } = await before.login()
    const other = await before.login()
    const { service } = createTestService({
      storage: { ...storage, findByIds: () => storage.findByIds([other.sessionId]) },
    })
    expect(await outcomeOf(service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
  })
})

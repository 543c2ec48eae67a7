import { describe, expect, it } from 'vitest'
import { AuthError, isAuthError, type JwtAuthOptions, jwtAuth } from '../src/index.js'
import { byName } from './support/by-name.js'
import { express5Framework } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { startHost, type TestHost } from './support/test-host.js'

/** The first frame of an error's stack. */
const firstFrameOf = (error: unknown): string => {
  if (!(error instanceof Error)) throw new Error('Nothing was thrown.')
  return /^ {4}at .*$/m.exec(error.stack ?? '')?.[0] ?? ''
}

const catchThrown = (call: () => unknown): unknown => {
  try {
    return call()
  } catch (error) {
    return error
  }
}

const thisFile = /caller-errors\.test\.ts/

// As applications without types do.
const untyped = <Result>(call: (...args: never[]) => Result, ...args: readonly unknown[]): Result =>
  Reflect.apply(call, undefined, args)

describe('the stack of a wrong option', () => {
  it.each(
    byName([
      { name: 'jwtAuth', call: (_: TestHost) => untyped(jwtAuth, { secret: 'short' }) },
      { name: 'guard', call: ({ auth }: TestHost) => untyped(auth.guard, { alow: true }) },
      { name: 'jwks', call: ({ auth }: TestHost) => auth.jwks() },
      { name: 'setKeys', call: ({ auth }: TestHost) => auth.setKeys([]) },
    ]),
  )('starts at the line that calls %s', async (_, { call }) => {
    const host = await startHost(express5Framework)
    const error = catchThrown(() => call(host))
    expect(error).toBeInstanceOf(TypeError)
    expect(firstFrameOf(error)).toMatch(thisFile)
  })

  it('stays as it is for an error of the application, such as one of a getter', () => {
    const thrown = new RangeError('of the application')
    const stack = thrown.stack
    const options: Partial<JwtAuthOptions> = Object.defineProperty({}, 'namespace', {
      enumerable: true,
      get: () => {
        throw thrown
      },
    })
    expect(catchThrown(() => untyped(jwtAuth, options))).toBe(thrown)
    expect(thrown.stack).toBe(stack)
  })
})

const calls = [
  { name: 'verify', call: ({ auth }: TestHost) => auth.verify('abc') },
  { name: 'sessions.create', call: ({ auth }: TestHost) => auth.sessions.create(99) },
  { name: 'sessions.create without a user id', call: ({ auth }: TestHost) => untyped(auth.sessions.create) },
  { name: 'sessions.list', call: ({ auth }: TestHost) => untyped(auth.sessions.list) },
  { name: 'sessions.revoke', call: ({ auth }: TestHost) => untyped(auth.sessions.revoke, {}) },
  { name: 'sessions.revokeAll', call: ({ auth }: TestHost) => auth.sessions.revokeAll(7, { reason: '' }) },
  { name: 'sessions.revokeIssuedBefore', call: ({ auth }: TestHost) => untyped(auth.sessions.revokeIssuedBefore) },
  { name: 'sessions.purge', call: ({ auth }: TestHost) => auth.sessions.purge({ batch: 0 }) },
  {
    name: 'verify while the storage fails, which rejects a batch of lookups',
    call: async ({ auth, storage }: TestHost) => {
      const { accessToken } = await auth.sessions.create(7)
      storage.fail(storageFailure, 'findByIds')
      return auth.verify(accessToken)
    },
  },
]

describe('the stack of a rejection', () => {
  it.each(byName(calls))('starts at the caller of %s', async (_, { call }) => {
    const host = await startHost(express5Framework)
    const error = await Promise.resolve(call(host)).catch((thrown: unknown) => thrown)
    expect(firstFrameOf(error)).toMatch(thisFile)
    expect(error).toHaveProperty('stack', expect.stringMatching(/^(AuthError|TypeError): /))
  })

  it('contains the origin of an error of the application too', async () => {
    const host = await startHost(express5Framework)
    const findInDirectory = () => new AuthError('jwt_auth_unavailable')
    host.users.rejectWith('findById', findInDirectory())
    const error = await host.auth.sessions.create(7).catch((thrown: unknown) => thrown)
    expect(isAuthError(error) && error.stack).toMatch(/caller-errors\.test\.ts[\s\S]*findInDirectory/)
  })

  it('starts at the caller of getAuth, also in the cause, which the log shows', async () => {
    const { auth } = await startHost(express5Framework)
    const error = catchThrown(() => untyped(auth.getAuth, { method: 'GET', url: '/' }))
    expect(firstFrameOf(error)).toMatch(thisFile)
    expect(firstFrameOf(error instanceof Error && error.cause)).toMatch(thisFile)
  })
})

describe('the headers of a rejection', () => {
  it('have the realm of the service', async () => {
    const { auth } = await startHost(express5Framework, { options: { realm: 'reports' } })
    await expect(auth.verify('abc')).rejects.toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer realm="reports", error="invalid_token"' },
    })
  })

  it('have Retry-After during an outage', async () => {
    const host = await startHost(express5Framework)
    host.storage.fail(storageFailure, 'list')
    await expect(host.auth.sessions.list(7)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  })
})

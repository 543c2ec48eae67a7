import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { readMember } from '@jwt-auth/test-support/read-json'
import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-clock'
import {
  createTestService,
  type TestService,
  type TestServiceOptions,
  testIssuer,
} from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError, type AuthenticationResult } from '../../src/index.js'

const otherSecret = 'Z9_another-secret-of-a-valid-length-4711'

describe('the guard', () => {
  it('returns the user, the session and the claims of the token, deeply frozen', async () => {
    const { service, login } = createTestService({ claims: () => ({ roles: ['reader'] }) })
    const { accessToken, sessionId } = await login()
    const auth = await service.authorize(accessToken)
    expect(auth).toEqual({ userId: 1, sessionId, claims: expect.objectContaining({ sid: sessionId, sub: '1' }) })
    expect(Object.isFrozen(auth)).toBe(true)
    expect(Object.isFrozen(readMember(auth, 'claims', 'roles'))).toBe(true)
  })

  it('accepts a token within the clock tolerance, but not after the end of its session', async () => {
    const options = { clockToleranceSeconds: 60, accessTokenLifetimeSeconds: 100 }
    const long = createTestService(options)
    const { accessToken } = await long.login()
    long.system.advance(159_999)
    expect(await outcomeOf(long.service.authorize(accessToken))).toBe('ok')
    long.system.advance(1)
    expect(await outcomeOf(long.service.authorize(accessToken))).toBe('jwt_auth_invalid_token')

    const short = createTestService({ clockToleranceSeconds: 60, sessionIdleTimeoutSeconds: 50 })
    const { accessToken: capped } = await short.login()
    short.system.advance(50_000)
    expect(await outcomeOf(short.service.authorize(capped))).toBe('jwt_auth_invalid_token')
  })

  it.each<[string, TestServiceOptions, string, string, string | undefined]>([
    ['storage', {}, 'Invalid token.', 'the storage does not contain its session', 'unknown session'],
    ['secret', { secret: otherSecret }, 'Signature verification failed', 'no key with the id in the token', undefined],
    [
      'issuer',
      { issuer: `${testIssuer}/` },
      'Invalid token.',
      `is "${testIssuer}", but the option \`issuer\` of this instance is ["${testIssuer}/"]`,
      'another issuer',
    ],
    [
      'audience',
      { audience: 'reports' },
      'Invalid token.',
      'the audience of an access token is missing, but the option `audience` of this instance is "reports"',
      'another audience',
    ],
    [
      'clock',
      { system: createTestSystem(startOfTests - 61_000) },
      'Invalid token.',
      'is "2026-01-01T00:00:00.000Z", but the clock of this instance is "2025-12-31T23:58:59.000Z". Synchronize',
      'not valid yet',
    ],
  ])(
    'refuses the tokens of an instance with another %s, and reports it once, unless they are forged',
    async (_, options, ...expected) => {
      const [message, report, detail] = expected
      const { login } = createTestService()
      const { service: elsewhere, errors, activity } = createTestService(options)
      const { accessToken } = await login()
      const forged = accessToken.replace(/\.[^.]*$/, `.${'A'.repeat(43)}`)
      if (expected[0] === 'Invalid token.') await rejectionOf(elsewhere.authorize(forged))
      expect(errors).toEqual([])
      for (const error of [
        await rejectionOf(elsewhere.authorize(accessToken)),
        await rejectionOf(elsewhere.authorizeUser(accessToken)),
      ]) {
        expect(error).toMatchObject({ code: 'jwt_auth_invalid_token', message, detail })
      }
      expect(activity.slice(-2)).toMatchObject([{ type: 'request_rejected', detail }, { detail }])
      expect(errors).toMatchObject([{ cause: { message: expect.stringContaining(report) } }])
    },
  )

  it.each(['1', 2, 'ann'])('refuses a token whose session belongs to another user, %j', async (userId) => {
    const { service, storage, login } = createTestService()
    const { accessToken, sessionId } = await login()
    const [session] = await storage.findByIds([sessionId])
    if (session === undefined) throw new Error('The session is gone.')
    const changed = createTestService({
      storage: { ...storage, findByIds: async () => [{ ...session, userId }] },
    })
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
    expect(await outcomeOf(changed.service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
  })
})

describe('the lookup of the guard', () => {
  it('is one independent call for each token when storage needs no batching', async () => {
    const storage = memoryStorage({ quiet: true })
    const asked: (readonly string[])[] = []
    const { service, login } = createTestService({
      storage: {
        ...storage,
        batchLookups: false,
        findByIds: (ids, options) => {
          asked.push(ids)
          return asked.length === 2 ? new Promise(() => {}) : storage.findByIds(ids, options)
        },
      },
    })
    const grants = [await login(), await login(), await login()]
    const [first, , third] = grants.map(({ accessToken }) => service.authorize(accessToken))
    expect(await first).toMatchObject({ sessionId: grants[0]?.sessionId })
    expect(await third).toMatchObject({ sessionId: grants[2]?.sessionId })
    expect(asked).toEqual(grants.map(({ sessionId }) => [sessionId]))
  })
})

describe('the refusal of a valid token', () => {
  /** Changes something after a login of Ann, and returns the error with which her token is refused. */
  const refusalAfter = async (
    change: (made: TestService, grant: AuthenticationResult) => unknown,
  ): Promise<unknown> => {
    const made = createTestService()
    const grant = await made.login()
    await change(made, grant)
    return rejectionOf(made.service.authorizeUser(grant.accessToken))
  }

  const unknownSession = async (): Promise<unknown> => {
    const { accessToken } = await createTestService().login()
    return rejectionOf(createTestService().service.authorizeUser(accessToken))
  }

  const foreignSession = async (): Promise<unknown> => {
    const { storage, login } = createTestService()
    const { accessToken } = await login()
    const findByIds: typeof storage.findByIds = async (ids) =>
      (await storage.findByIds(ids)).map((session) => ({ ...session, userId: 2 }))
    const { service } = createTestService({ storage: { ...storage, findByIds } })
    return rejectionOf(service.authorizeUser(accessToken))
  }

  it('has another detail for each reason, and the same message for the client', async () => {
    const refusals = [
      await unknownSession(),
      await foreignSession(),
      await refusalAfter(({ service }, { accessToken }) => service.revoke(accessToken)),
      await refusalAfter(({ users }) => users.remove(1)),
    ]
    const expected = { code: 'jwt_auth_invalid_token', message: 'Invalid token.', detail: expect.stringMatching(/\w/) }
    expect(refusals).toMatchObject(refusals.map(() => expected))
    expect(new Set(refusals.map((error) => (error instanceof AuthError ? error.detail : ''))).size).toBe(4)
  })
})

describe('the user of an access token', () => {
  it('is read from the directory each time', async () => {
    const { service, users, login } = createTestService()
    const { accessToken } = await login()
    users.change(1, { email: 'ann@example.org' })
    expect((await service.authorizeUser(accessToken)).user).toMatchObject({ email: 'ann@example.org' })
  })

  it.each([
    ['the password has changed since', { credentialVersion: 'later' }],
    ['another user has received the id since', { credentialVersion: 'other', email: 'eve@example.com' }],
    ['the directory no longer keeps versions', { credentialVersion: undefined }],
  ])('is missing when %s', async (_, change) => {
    const { service, users, login } = createTestService()
    users.change(1, { credentialVersion: 'first' })
    const { accessToken } = await login()
    users.change(1, change)
    expect(await rejectionOf(service.authorizeUser(accessToken))).toMatchObject({
      code: 'jwt_auth_invalid_token',
      detail: 'the user has another credential version',
    })
  })
})

import { createTestSystem, startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxAccessTokenLength } from '../../src/access-token/compact-jws.js'
import { createAccessTokenSigner, type SignAccessToken } from '../../src/access-token/sign-access-token.js'
import type { StrictObject } from '../../src/access-token/strict-json.js'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import { createKeyRing } from '../../src/keys/key-ring.js'
import { readSecret } from '../../src/keys/read-secret.js'
import { type IssuerContext, issueTokens } from '../../src/operations/issue-tokens.js'
import type { SessionRecord } from '../../src/ports/session-storage.js'
import { hasTimeForAccessToken, toExpiry } from '../../src/session/session-record.js'
import { createDeadline, type EpochMs } from '../../src/system.js'
import { createSessionChain, testPolicy } from '../support/session-fixture.js'

const key = readSecret('secret', testSecret, 'HS256')
const keyRing = createKeyRing([key])
const signAccessToken = createAccessTokenSigner(keyRing, createDeadline(1_000, createTestSystem()))
const common = { issuers: [testIssuer], audience: undefined }

const createIssuer = (changes: Partial<IssuerContext['policy']> = {}, sign = signAccessToken) => {
  const policy = { audience: undefined, accessTokenLifetimeSeconds: 3_600, dpop: undefined, ...changes }
  const shared = { issuer: testIssuer, system: createTestSystem(), signAccessToken: sign, policy }
  return (session: SessionRecord, claims: StrictObject, now: EpochMs) => {
    const context = { ...shared, getHostClaims: async () => claims, getProfile: async () => ({}) }
    return issueTokens(context, { session, user: ann, refreshToken: createSessionChain().current() }, now)
  }
}

const parsePart = (token: string, position: number): unknown =>
  JSON.parse(Buffer.from(token.split('.')[position] ?? '', 'base64url').toString('utf8'))

const secondsOfClaims = (token: string): { iat: number; exp: number } => {
  const verify = createAccessTokenVerifier({ ...common, keyRing, clockToleranceSeconds: 0 })
  const { claims } = verify(token, Number(new Map(Object.entries(Object(parsePart(token, 1)))).get('iat')) * 1_000)
  return { iat: claims.iat, exp: claims.exp }
}

describe('an issued access token', () => {
  it('has exactly the claims of the contract', async () => {
    const session = createSessionChain().session()
    const { accessToken, expiresInSeconds } = await createIssuer()(session, {}, startOfTests + 999)
    expect(parsePart(accessToken, 1)).toEqual({
      iss: testIssuer,
      sub: '1',
      iat: startOfTests / 1_000,
      nbf: startOfTests / 1_000,
      exp: startOfTests / 1_000 + 3_600,
      auth_time: startOfTests / 1_000,
      jti: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      sid: session.id,
      data: { user: { id: 1 } },
    })
    expect(expiresInSeconds).toBe(3_600)
  })

  it('has the configured audience', async () => {
    const { accessToken } = await createIssuer({ audience: 'reports' })(
      createSessionChain().session(),
      {},
      startOfTests,
    )
    expect(parsePart(accessToken, 1)).toMatchObject({ aud: 'reports' })
  })

  it.each([
    [7, '7'],
    ['7', '7'],
    ['bob-2', 'bob-2'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('keeps the JSON type of the user id %j', async (userId, sub) => {
    const { accessToken } = await createIssuer()({ ...createSessionChain().session(), userId }, {}, startOfTests)
    expect(parsePart(accessToken, 1)).toMatchObject({ sub, data: { user: { id: userId } } })
  })

  it('has the claims of the application, which never replace reserved claims', async () => {
    const session = createSessionChain().session()
    const { accessToken } = await createIssuer()(session, { role: 'admin', sub: '2', exp: 9, sid: 'x' }, startOfTests)
    expect(parsePart(accessToken, 1)).toMatchObject({
      role: 'admin',
      sub: '1',
      exp: startOfTests / 1_000 + 3_600,
      sid: session.id,
    })
  })

  it('may be as long as the longest accepted token', async () => {
    const session = createSessionChain().session()
    const sign: SignAccessToken = async () => 'x'.repeat(maxAccessTokenLength)
    const issue = createIssuer({ accessTokenLifetimeSeconds: 60 }, sign)
    expect(await issue(session, {}, startOfTests)).toMatchObject({ accessToken: expect.stringMatching(/^x{8192}$/) })
  })

  it('is refused when the claims of the application would make it longer', async () => {
    const session = createSessionChain().session()
    await expect(createIssuer()(session, { filler: 'x'.repeat(8_192) }, startOfTests)).rejects.toThrow(
      'option `claims`',
    )
  })

  it('never expires after its session, and has a lifetime of at least a second if the session has time for an access token', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          accessTokenLifetimeSeconds: fc.integer({ min: 1, max: 100 }),
          sessionIdleTimeoutSeconds: fc.integer({ min: 1, max: 100 }),
          sessionAbsoluteTimeoutSeconds: fc.integer({ min: 1, max: 100 }),
        }),
        fc.nat({ max: 999 }),
        fc.array(fc.nat({ max: 60_000 }), { maxLength: 3 }),
        fc.nat({ max: 110_000 }),
        async (lifetimes, startMs, steps, wait) => {
          const policy = { ...testPolicy, ...lifetimes }
          const system = createTestSystem(startOfTests + startMs)
          const chain = createSessionChain(system, policy)
          for (const step of steps) {
            system.advance(step)
            chain.rotate()
          }
          system.advance(wait)
          fc.pre(hasTimeForAccessToken(chain.session(), system.now()))

          const issued = await createIssuer(lifetimes)(chain.session(), {}, system.now())

          const { iat, exp } = secondsOfClaims(issued.accessToken)
          expect(exp * 1_000).toBeLessThanOrEqual(toExpiry(chain.session()))
          expect(exp).toBeLessThanOrEqual(iat + lifetimes.accessTokenLifetimeSeconds)
          expect(issued.expiresInSeconds).toBe(exp - iat)
          expect(issued.expiresInSeconds).toBeGreaterThanOrEqual(1)
        },
      ),
    )
  })
})

describe('the time for an access token', () => {
  it('is left when a session is opened', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat({ max: 999 }),
        (sessionIdleTimeoutSeconds, sessionAbsoluteTimeoutSeconds, startMs) => {
          const system = createTestSystem(startOfTests + startMs)
          const chain = createSessionChain(system, {
            ...testPolicy,
            sessionIdleTimeoutSeconds,
            sessionAbsoluteTimeoutSeconds,
          })
          expect(hasTimeForAccessToken(chain.session(), system.now())).toBe(true)
        },
      ),
    )
  })
})

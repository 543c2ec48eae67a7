import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longestAccessToken } from '../../src/access-token/compact-jws.js'
import { createAccessTokenIssuer } from '../../src/access-token/issue-access-token.js'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import type { Signer } from '../../src/index.js'
import { jsonwebtokenSigner } from '../../src/keys/jsonwebtoken-signer.js'
import { createKeyRing } from '../../src/keys/key-ring.js'
import { readSecret } from '../../src/keys/read-secret.js'
import { endOf, hasTimeForAccessToken } from '../../src/session/session-record.js'
import { createSessionChain, testPolicy } from '../support/session-fixture.js'
import { testIssuer, testSecret } from '../support/test-service.js'
import { createTestSystem, startOfTests } from '../support/test-system.js'

const key = readSecret('secret', testSecret, 'HS256')
const common = { keyRing: createKeyRing(key), signer: jsonwebtokenSigner, issuer: testIssuer, audience: undefined }

const createIssuer = (options: { accessTokenSeconds?: number; audience?: string } = {}) =>
  createAccessTokenIssuer({ ...common, accessTokenSeconds: 3_600, ...options }, createTestSystem().randomBytes)

const readPart = (token: string, position: number): unknown =>
  JSON.parse(Buffer.from(token.split('.')[position] ?? '', 'base64url').toString('utf8'))

const secondsOfClaims = (token: string): { iat: number; exp: number } => {
  const verify = createAccessTokenVerifier({ ...common, clockToleranceSeconds: 0 })
  const { claims } = verify(token, Number(new Map(Object.entries(Object(readPart(token, 1)))).get('iat')) * 1_000)
  return { iat: claims.iat, exp: claims.exp }
}

describe('an issued access token', () => {
  it('has exactly alg, typ and kid in its header', () => {
    const { accessToken } = createIssuer()(createSessionChain().session(), {}, startOfTests)
    expect(readPart(accessToken, 0)).toEqual({ alg: 'HS256', typ: 'at+jwt', kid: key.signing.kid })
  })

  it('has exactly the claims of the contract', () => {
    const session = createSessionChain().session()
    const { accessToken, expiresInSeconds } = createIssuer()(session, {}, startOfTests + 999)
    expect(readPart(accessToken, 1)).toEqual({
      iss: testIssuer,
      sub: '1',
      iat: startOfTests / 1_000,
      nbf: startOfTests / 1_000,
      exp: startOfTests / 1_000 + 3_600,
      jti: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      sid: session.id,
      data: { user: { id: 1 } },
    })
    expect(expiresInSeconds).toBe(3_600)
  })

  it('carries the audience when one is configured', () => {
    const { accessToken } = createIssuer({ audience: 'reports' })(createSessionChain().session(), {}, startOfTests)
    expect(readPart(accessToken, 1)).toMatchObject({ aud: 'reports' })
  })

  it.each([
    [7, '7'],
    ['7', '7'],
    ['bob-2', 'bob-2'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
  ])('keeps the JSON type of the user id %j', (userId, sub) => {
    const { accessToken } = createIssuer()({ ...createSessionChain().session(), userId }, {}, startOfTests)
    expect(readPart(accessToken, 1)).toMatchObject({ sub, data: { user: { id: userId } } })
  })

  it('carries the claims of the host, and never in place of its own', () => {
    const session = createSessionChain().session()
    const { accessToken } = createIssuer()(session, { role: 'admin', sub: '2', exp: 9, sid: 'x' }, startOfTests)
    expect(readPart(accessToken, 1)).toMatchObject({
      role: 'admin',
      sub: '1',
      exp: startOfTests / 1_000 + 3_600,
      sid: session.id,
    })
  })

  it('has a jti of its own each time', () => {
    const issue = createIssuer()
    const session = createSessionChain().session()
    const tokens = Array.from({ length: 50 }, () => issue(session, {}, startOfTests).accessToken)
    expect(new Set(tokens).size).toBe(50)
  })

  it('has no audience when none is configured', () => {
    const signed: object[] = []
    const sign: Signer['sign'] = (...args) => {
      signed.push(args[0])
      return jsonwebtokenSigner.sign(...args)
    }
    const issue = createAccessTokenIssuer(
      { ...common, signer: { ...jsonwebtokenSigner, sign }, accessTokenSeconds: 60 },
      createTestSystem().randomBytes,
    )
    issue(createSessionChain().session(), {}, startOfTests)
    expect(signed.map((claims) => Object.keys(claims))).toEqual([expect.not.arrayContaining(['aud'])])
  })

  it('may be as long as what is read', () => {
    const session = createSessionChain().session()
    const sign: Signer['sign'] = () => 'x'.repeat(longestAccessToken)
    const issue = createAccessTokenIssuer(
      { ...common, signer: { ...jsonwebtokenSigner, sign }, accessTokenSeconds: 60 },
      createTestSystem().randomBytes,
    )
    expect(issue(session, {}, startOfTests).accessToken).toHaveLength(8_192)
  })

  it('is refused to a host whose claims would make it longer than what is read', () => {
    const session = createSessionChain().session()
    expect(() => createIssuer()(session, { filler: 'x'.repeat(8_192) }, startOfTests)).toThrow('option `claims`')
  })

  it('never outlives its session, and lives at least a second, wherever there is time for one', () => {
    fc.assert(
      fc.property(
        fc.record({
          accessTokenSeconds: fc.integer({ min: 1, max: 100 }),
          sessionIdleSeconds: fc.integer({ min: 1, max: 100 }),
          sessionMaxSeconds: fc.integer({ min: 1, max: 100 }),
        }),
        fc.nat({ max: 999 }),
        fc.array(fc.nat({ max: 60_000 }), { maxLength: 3 }),
        fc.nat({ max: 110_000 }),
        (lives, startMs, steps, wait) => {
          const policy = { ...testPolicy, ...lives }
          const system = createTestSystem(startOfTests + startMs)
          const chain = createSessionChain(system, policy)
          for (const step of steps) {
            system.advance(step)
            chain.rotate()
          }
          system.advance(wait)
          fc.pre(hasTimeForAccessToken(chain.session(), system.now()))

          const issued = createIssuer(lives)(chain.session(), {}, system.now())

          const { iat, exp } = secondsOfClaims(issued.accessToken)
          expect(exp * 1_000).toBeLessThanOrEqual(endOf(chain.session()))
          expect(exp).toBeLessThanOrEqual(iat + lives.accessTokenSeconds)
          expect(issued.expiresInSeconds).toBe(exp - iat)
          expect(issued.expiresInSeconds).toBeGreaterThanOrEqual(1)
        },
      ),
    )
  })
})

describe('the time for an access token', () => {
  it('is there at the very opening of every session', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat({ max: 999 }),
        (sessionIdleSeconds, sessionMaxSeconds, startMs) => {
          const system = createTestSystem(startOfTests + startMs)
          const chain = createSessionChain(system, { ...testPolicy, sessionIdleSeconds, sessionMaxSeconds })
          expect(hasTimeForAccessToken(chain.session(), system.now())).toBe(true)
        },
      ),
    )
  })
})

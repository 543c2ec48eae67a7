import { callUntyped } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it, vi } from 'vitest'
import { createAccessTokenVerifier, type VerifierOptions } from '../../src/access-token/verify-access-token.js'
import { createKeyRing } from '../../src/keys/key-ring.js'
import { readSecret } from '../../src/keys/read-secret.js'
import { forgeToken, startSecond, validClaims } from '../support/forged-token.js'

const key = readSecret('secret', testSecret, 'HS256')
const { kid } = key
const validHeader = { alg: 'HS256', typ: 'at+jwt', kid }
const otherSecret = 'Z9_another-secret-of-a-valid-length-4711'

const createVerifier = (options: Partial<VerifierOptions> = {}) =>
  createAccessTokenVerifier({
    keyRing: createKeyRing([key]),
    issuers: [testIssuer],
    audience: undefined,
    clockToleranceSeconds: 0,
    ...options,
  })

const withPayload = (payload: object): string => forgeToken({ header: validHeader, payload })

const validToken = withPayload(validClaims)
const [validSignature = ''] = validToken.split('.').slice(-1)

// edge-tokens.test.ts tests each unusual property of a token separately.
describe('a valid access token', () => {
  it('is accepted with its claims, including the claims of the application', () => {
    const claims = { ...validClaims, roles: ['admin'], tenant: { id: 7, name: 'Ünïcode' } }
    expect(createVerifier()(withPayload(claims), startOfTests)).toEqual({
      userId: 1,
      sessionId: validClaims.sid,
      claims,
    })
  })
})

describe('an access token with an invalid signature', () => {
  const forgedPayloads = [
    ['no JSON', '{{{'],
    ['8 KB of nested JSON', `${'{"a":['.repeat(700)}${']}'.repeat(700)}`],
  ] as const

  it.each(forgedPayloads)('is refused without parsing the payload: %s', (_, payload) => {
    const token = forgeToken({ header: validHeader, payload }, 'sha256', otherSecret)
    const parsed = vi.spyOn(JSON, 'parse')
    try {
      expect(() => createVerifier()(token, startOfTests)).toThrow('Signature verification failed')
      expect(parsed.mock.calls).toEqual([[JSON.stringify(validHeader)]])
    } finally {
      parsed.mockRestore()
    }
  })
})

describe('a value in place of an access token', () => {
  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 1],
    ['an object whose text is a valid token', { toString: () => validToken }],
    ['a list whose text is a valid token', [validToken]],
    ['a Buffer', Buffer.from(validToken)],
    ['megabytes of text', 'A.'.repeat(4 * 1024 * 1024)],
  ])('is refused: %s', (_, token) => {
    expect(() => callUntyped(createVerifier(), token, startOfTests)).toThrow(
      expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Invalid token.' }),
    )
  })
})

describe('the option audience', () => {
  it.each([['reports'], [null], [''], [[]]])(
    'refuses a token with the audience %j when the option is missing',
    (aud) => {
      expect(() => createVerifier()(withPayload({ ...validClaims, aud }), startOfTests)).toThrow('Invalid token.')
    },
  )
})

describe('the times of an access token', () => {
  it.each([
    ['nbf', 60, 0, true],
    ['nbf', 61, 0, false],
    ['nbf', 61, 999, false],
    ['nbf', 61, 1_000, true],
    ['iat', 60, 0, true],
    ['iat', 61, 0, false],
    ['iat', 61, 999, false],
    ['iat', 61, 1_000, true],
  ])('may include %s %i s after the start at %i ms: %s', (claim, aheadSeconds, nowMs, isAccepted) => {
    const verify = createVerifier()
    const token = withPayload({ ...validClaims, [claim]: startSecond + aheadSeconds })
    if (isAccepted) expect(verify(token, startOfTests + nowMs).claims).toMatchObject({ sid: validClaims.sid })
    else {
      expect(() => verify(token, startOfTests + nowMs)).toThrow(
        expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Invalid token.' }),
      )
    }
  })

  it.each([
    [-1, 0, true],
    [0, 0, false],
    [0, 1, true],
    [999, 1, true],
    [1_000, 1, false],
    [59_999, 60, true],
    [60_000, 60, false],
  ])('are valid %i ms after exp with a tolerance of %i s: %s', (afterExpMs, clockToleranceSeconds, isAccepted) => {
    const verify = createVerifier({ clockToleranceSeconds })
    const now = validClaims.exp * 1_000 + afterExpMs
    if (isAccepted) expect(verify(validToken, now).claims).toEqual(validClaims)
    else {
      expect(() => verify(validToken, now)).toThrow(
        expect.objectContaining({ code: 'jwt_auth_invalid_token', message: 'Expired token' }),
      )
    }
  })

  it('have no tolerance for nbf and iat', () => {
    const verify = createVerifier({ clockToleranceSeconds: 60 })
    const token = withPayload({ ...validClaims, nbf: startSecond + 61 })
    expect(() => verify(token, startOfTests)).toThrow('Invalid token.')
  })
})

describe('the detail of a refused access token', () => {
  it.each<[string, string, string | undefined]>([
    ['too long', 'A'.repeat(8_193), 'no text, or too long'],
    ['malformed', `${validToken}.${validSignature}`, 'malformed token'],
    [
      'a whole header',
      `Bearer ${validToken}`,
      'a whole header: pass it without the word Bearer, or call verifyRequest',
    ],
    ['a missing value', 'undefined', 'a missing value, as the text `undefined`: send no header without a token'],
    ['a refresh token', `jwtauth_rt_${'A'.repeat(64)}`, 'a refresh token: send the access token instead'],
    [
      'of another type',
      forgeToken({ header: { ...validHeader, typ: 'JWT' }, payload: validClaims }),
      'malformed token',
    ],
    ['with a wrong claim', withPayload({ ...validClaims, sub: 1 }), 'malformed claims'],
    ['of another issuer', withPayload({ ...validClaims, iss: 'https://other.example.com' }), 'another issuer'],
    ['for another audience', withPayload({ ...validClaims, aud: 'reports' }), 'another audience'],
    ['not valid yet', withPayload({ ...validClaims, nbf: startSecond + 61 }), 'not valid yet'],
    ['expired', withPayload({ ...validClaims, exp: startSecond }), undefined],
    [
      'signed with another key',
      forgeToken({ header: validHeader, payload: validClaims }, 'sha256', otherSecret),
      undefined,
    ],
  ])('is the reason, or missing, when the token is %s', (_, token, detail) => {
    const faults: string[] = []
    const verify = createVerifier({ reportFault: (message) => faults.push(message) })
    expect(() => verify(token, startOfTests)).toThrow(expect.objectContaining({ detail }))
    expect(faults).toEqual(detail?.startsWith('a ') ? [`a token was rejected: it is ${detail}`] : [])
  })
})

describe('the error of a refused access token', () => {
  it.each([
    ['malformed', `${validToken}.${validSignature}`],
    ['signed with another key', forgeToken({ header: validHeader, payload: validClaims }, 'sha256', otherSecret)],
    ['of another issuer', withPayload({ ...validClaims, iss: 'https://other.example.com' })],
    ['expired', withPayload({ ...validClaims, exp: startSecond })],
  ])('contains no part of the token when it is %s', (_, token) => {
    const verify = createVerifier()
    let text = ''
    try {
      verify(token, startOfTests)
    } catch (error) {
      text = `${String(error)} ${JSON.stringify(error)}`
    }
    expect(text).toContain('jwt_auth_invalid_token')
    for (const part of token.split('.')) expect(text).not.toContain(part)
    expect(text).not.toContain('other.example.com')
  })
})

import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { encodePart } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import { createAccessTokenVerifier } from '../../src/access-token/verify-access-token.js'
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.js'
import { readSecret } from '../../src/keys/read-secret.js'
import { createCountedRing } from '../support/counted-ring.js'
import { forgeToken, validClaims } from '../support/forged-token.js'

const key = readSecret('secret', testSecret, 'HS256')
const header = { alg: 'HS256', typ: 'at+jwt', kid: key.kid }
const validToken = forgeToken({
  header,
  payload: { ...validClaims, tenant: { roles: ['reader', { name: 'writer' }] } },
})

const createVerifierOf = (keyRing: KeyRing) =>
  createAccessTokenVerifier({ keyRing, issuers: [testIssuer], audience: undefined, clockToleranceSeconds: 0 })

const createVerifier = () => {
  const { keyRing, checked } = createCountedRing(createKeyRing([key]))
  return { verify: createVerifierOf(keyRing), checked }
}

describe('a verified token', () => {
  it('has its signature checked once', () => {
    const { verify, checked } = createVerifier()
    const auth = verify(validToken, startOfTests)
    expect(verify(validToken, startOfTests + 1)).toEqual(auth)
    expect(checked).toHaveLength(1)
  })

  it('is refused from its exp on', () => {
    const { verify } = createVerifier()
    verify(validToken, startOfTests)
    expect(verify(validToken, validClaims.exp * 1_000 - 1).claims).toMatchObject(validClaims)
    expect(() => verify(validToken, validClaims.exp * 1_000)).toThrow('Expired token')
  })

  it('is refused before its nbf when the clock was set back', () => {
    const { verify } = createVerifier()
    verify(validToken, startOfTests)
    expect(() => verify(validToken, startOfTests - 60_001)).toThrow('Invalid token.')
  })

  it('is checked again when another key replaced its key', () => {
    const ring = createKeyRing([key])
    const keys = new Map(ring.keys)
    const verify = createVerifierOf({ ...ring, keys })
    verify(validToken, startOfTests)
    const impostor = { ...readSecret('secret', `${testSecret}-2`, 'HS256'), kid: key.kid }
    keys.set(key.kid, impostor)
    expect(() => verify(validToken, startOfTests)).toThrow('Signature verification failed')
  })

  it('does not verify another spelling of its parts', () => {
    const { verify, checked } = createVerifier()
    verify(validToken, startOfTests)
    const [headerPart, payloadPart, signature = ''] = validToken.split('.')
    const forged = `${headerPart}.${payloadPart}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`
    expect(() => verify(forged, startOfTests)).toThrow('Signature verification failed')
    expect(checked).toHaveLength(2)
  })

  it('does not verify another payload with the same signature', () => {
    const { verify, checked } = createVerifier()
    verify(validToken, startOfTests)
    const [headerPart, , signature] = validToken.split('.')
    const payload = encodePart({ ...validClaims, sub: '2', data: { user: { id: 2 } } })
    expect(() => verify(`${headerPart}.${payload}.${signature}`, startOfTests)).toThrow('Signature verification failed')
    expect(checked).toHaveLength(2)
  })
})

describe('the cache of verified tokens', () => {
  const tokenOf = (number: number, claims: object = {}): string =>
    forgeToken({ header, payload: { ...validClaims, ...claims, jti: String(number).padStart(22, '0') } })

  it('holds 32 MiB of long tokens, and drops the token that was used least recently', () => {
    const { verify, checked } = createVerifier()
    const tokens = Array.from({ length: 4_200 }, (_, number) => tokenOf(number, { text: 'a'.repeat(5_600) }))
    const most = Math.floor((32 * 1024 * 1024) / ((tokens[0]?.length ?? 0) + 256))
    for (const token of tokens.slice(0, most)) verify(token, startOfTests)
    verify(tokens[0] ?? '', startOfTests)
    expect(checked).toHaveLength(most)
    verify(tokens[most] ?? '', startOfTests)
    verify(tokens[0] ?? '', startOfTests)
    expect(checked).toHaveLength(most + 1)
    verify(tokens[1] ?? '', startOfTests)
    expect(checked).toHaveLength(most + 2)
  })
})

describe('a refused token', () => {
  it.each([
    ['badly signed', forgeToken({ header, payload: validClaims }, 'sha256', `${testSecret}-2`)],
    ['of another issuer', forgeToken({ header, payload: { ...validClaims, iss: 'https://other.example.com' } })],
    ['not valid yet', forgeToken({ header, payload: { ...validClaims, nbf: validClaims.nbf + 61 } })],
    ['expired', forgeToken({ header, payload: { ...validClaims, exp: validClaims.iat } })],
  ])('is checked again each time: %s', (_, token) => {
    const { verify, checked } = createVerifier()
    for (const attempt of [1, 2]) {
      expect(() => verify(token, startOfTests)).toThrow(expect.objectContaining({ code: 'jwt_auth_invalid_token' }))
      expect(checked).toHaveLength(attempt)
    }
  })
})

describe('the claims of a token', () => {
  it.each([1, 2])('are deeply frozen at use %i, and inherit nothing', (uses) => {
    const { verify } = createVerifier()
    const auth = Array.from({ length: uses }, () => verify(validToken, startOfTests)).at(-1)
    const frozen: boolean[] = []
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      frozen.push(Object.isFrozen(value) && (Array.isArray(value) || Object.getPrototypeOf(value) === null))
      for (const member of Object.values(value)) visit(member)
    }
    visit(auth)
    expect(frozen).toEqual([true, true, true, true, true, true, true])
  })

  it('cannot be changed by one request for the next request', () => {
    const { verify } = createVerifier()
    const { claims } = verify(validToken, startOfTests)
    expect(Reflect.set(claims, 'sub', '2')).toBe(false)
    expect(Reflect.set(claims.data.user, 'id', 2)).toBe(false)
    expect(verify(validToken, startOfTests).claims).toMatchObject(validClaims)
  })
})

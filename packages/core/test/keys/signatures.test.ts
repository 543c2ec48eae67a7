import { generateKeyPairSync, sign } from 'node:crypto'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Algorithm, KeyEntry } from '../../src/index.js'
import { fromDerSignature } from '../../src/keys/algorithm.js'
import { testKeys } from '../support/test-keys.js'

const { rsa } = testKeys
const ed25519 = generateKeyPairSync('ed25519').privateKey

const keyOf = (algorithm: Algorithm): KeyEntry['key'] => {
  switch (algorithm) {
    case 'ES256':
      return testKeys.p256
    case 'ES384':
      return testKeys.p384
    case 'ES512':
      return testKeys.p521
    case 'EdDSA':
      return ed25519
    default:
      return algorithm.startsWith('HS') ? `${testSecret}/${testSecret}` : rsa
  }
}

const algorithms: readonly Algorithm[] = [
  ...(['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const),
  ...(['PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const),
]

describe.each(algorithms)('a service whose active key signs with %s', (algorithm) => {
  const createService = () =>
    createTestService({ secret: undefined, keys: [{ key: keyOf(algorithm), algorithm, state: 'active' }] })

  it('accepts its tokens on another instance', async () => {
    const { login, storage } = createService()
    const other = createTestService({
      secret: undefined,
      keys: [{ key: keyOf(algorithm), algorithm, state: 'active' }],
      storage,
    })
    const { accessToken, sessionId } = await login()
    const [header = ''] = accessToken.split('.')
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: algorithm,
      typ: 'at+jwt',
      kid: expect.any(String),
    })
    expect(await other.service.authorize(accessToken)).toMatchObject({ userId: 1, sessionId })
  })

  it.each([1, -1])('rejects a signature that is longer by %i bytes', async (difference) => {
    const { service, login } = createService()
    const [header, payload, signature = ''] = (await login()).accessToken.split('.')
    const bytes = Buffer.from(signature, 'base64url')
    const other = difference > 0 ? Buffer.concat([bytes, Buffer.alloc(difference)]) : bytes.subarray(0, difference)
    const token = [header, payload, other.toString('base64url')].join('.')
    expect(await rejectionOf(service.authorize(token))).toMatchObject({
      code: 'jwt_auth_invalid_token',
      message: 'Signature verification failed',
    })
  })
})

it('a service signs with the option algorithm, and accepts its own tokens', async () => {
  const { service, login } = createTestService({ secret: `${testSecret}/${testSecret}`, algorithm: 'HS512' })
  const { accessToken, sessionId } = await login()
  expect(Buffer.from(accessToken.split('.')[0] ?? '', 'base64url').toString()).toContain('"alg":"HS512"')
  expect(await service.authorize(accessToken)).toMatchObject({ sessionId })
})

describe('fromDerSignature', () => {
  it('returns R and S side by side', () => {
    const der = Buffer.from('30080202007f02020100', 'hex')
    expect(fromDerSignature(der, 64)?.toString('hex')).toBe(`${'00'.repeat(31)}7f${'00'.repeat(30)}0100`)
  })

  it.each([
    ['empty bytes', ''],
    ['a list without numbers', '3000'],
    ['one number', '3003020101'],
    ['three numbers', '3009020101020101020101'],
    ['another tag', '3106020101020101'],
    ['numbers of another tag', '3006030101030101'],
    ['a trailing byte', '300602010102010100'],
    ['a length beyond its end', '3007020101020101'],
    ['a number that is too long', `3026022101${'ff'.repeat(32)}020101`],
    ['an indefinite length', '30800201010201010000'],
  ])('returns undefined for %s', (_, hex) => {
    expect(fromDerSignature(Buffer.from(hex, 'hex'), 64)).toBeUndefined()
  })

  it('reads a length of 127 in one byte, and a length of 128 only in two bytes', () => {
    const integer = (length: number): string => `02${length.toString(16)}${'11'.repeat(length)}`
    const signature = `${'11'.repeat(61)}`.padStart(132, '0') + `${'11'.repeat(62)}`.padStart(132, '0')
    const short = Buffer.from(`307f${integer(61)}${integer(62)}`, 'hex')
    expect(fromDerSignature(short, 132)?.toString('hex')).toBe(signature)
    expect(fromDerSignature(Buffer.from(`3080${integer(62)}${integer(62)}`, 'hex'), 132)).toBeUndefined()
    expect(fromDerSignature(Buffer.from(`308180${integer(62)}${integer(62)}`, 'hex'), 132)).toHaveLength(132)
  })

  it('returns undefined when bytes are missing at either end', () => {
    const der = sign('sha512', Buffer.from('input'), testKeys.p521)
    fc.assert(
      fc.property(fc.nat(der.length), fc.nat(der.length), (start, end) => {
        const part = der.subarray(start, end)
        if (part.length < der.length) expect(fromDerSignature(part, 132)).toBeUndefined()
      }),
    )
    expect(fromDerSignature(der, 132)).toHaveLength(132)
  })
})

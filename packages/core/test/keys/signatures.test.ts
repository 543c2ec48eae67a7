import { generateKeyPairSync } from 'node:crypto'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { Algorithm, KeyEntry } from '../../src/index.js'
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
  const createService = () => createTestService({ keys: [{ key: keyOf(algorithm), algorithm, state: 'active' }] })

  it('accepts its tokens on another instance', async () => {
    const { login, storage } = createService()
    const other = createTestService({
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

import { callUntyped } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { KeyEntry } from '../../src/index.js'
import { createReplaceableKeyRing } from '../../src/keys/key-ring.js'
import { readKeys } from '../../src/keys/read-key-ring.js'
import { testKeys } from '../support/test-keys.js'

const { p256, otherP256, p384 } = testKeys
const pair = (key: KeyEntry['key'], state: KeyEntry['state'] = 'active'): KeyEntry => ({
  key,
  algorithm: 'ES256',
  state,
})

const createPairService = () => createTestService({ keys: [pair(p256)] })

describe('setKeys', () => {
  it.each<[string, unknown]>([
    ['a list without an active key', [pair(otherP256, 'verify')]],
    ['a key on another curve', [pair(otherP256), pair(p384, 'verify')]],
    ['a secret in place of key pairs', [{ key: testSecret, algorithm: 'HS256', state: 'active' }]],
  ])('throws and changes nothing when it receives %s', async (_, keys) => {
    const { service, login } = createPairService()
    const { accessToken } = await login()
    const before = service.jwks()
    expect(() => callUntyped(service.setKeys, keys)).toThrow(TypeError)
    expect(service.jwks()).toEqual(before)
    expect(await service.authorize(accessToken)).toMatchObject({ userId: 1 })
    expect(await service.authorize((await login()).accessToken)).toMatchObject({ userId: 1 })
  })

  it('throws when it receives key pairs for a service with secrets', () => {
    const { service } = createTestService()
    expect(() => service.setKeys([pair(p256)])).toThrow('this requires a restart')
  })

  it('drops the private half of a key that only verifies from then on', () => {
    const ring = createReplaceableKeyRing(readKeys([pair(p256)]))
    const { kid } = ring.active
    ring.replace(readKeys([pair(otherP256), { ...pair(p256), state: 'verify' }]))
    expect(ring.keys.get(kid)?.signing).toBeUndefined()
  })

  it.each<[string, KeyEntry, KeyEntry['algorithm']]>([
    ['secret', { key: `${testSecret}/${testSecret}`, algorithm: 'HS256', state: 'active' }, 'HS512'],
    ['key pair', { key: testKeys.rsa, algorithm: 'RS256', state: 'active' }, 'PS256'],
  ])('accepts tokens of the new algorithm only when the same %s has another algorithm', async (_, entry, algorithm) => {
    const { service, login } = createTestService({ keys: [entry] })
    const { accessToken } = await login()
    await service.authorize(accessToken)
    service.setKeys([{ ...entry, algorithm }])
    await expect(service.authorize(accessToken)).rejects.toThrow('Signature verification failed')
    expect(await service.authorize((await login()).accessToken)).toMatchObject({ userId: 1 })
  })

  it('rechecks the signature of a token whose key was removed and added again', async () => {
    const { service, login } = createPairService()
    const { accessToken } = await login()
    await service.authorize(accessToken)
    service.setKeys([pair(otherP256)])
    await expect(service.authorize(accessToken)).rejects.toThrow('Signature verification failed')
    service.setKeys([pair(otherP256), pair(p256, 'verify')])
    expect(await service.authorize(accessToken)).toMatchObject({ userId: 1 })
  })

  it('changes the public keys, the active key first', () => {
    const { service } = createPairService()
    const [former] = service.jwks().keys
    service.setKeys([pair(p256, 'verify'), pair(otherP256)])
    const kids = service.jwks().keys.map(({ kid }) => kid)
    expect(kids).toHaveLength(2)
    expect(kids[1]).toBe(former?.kid)
  })
})

describe('createTokenService', () => {
  it('rejects algorithm together with keys', () => {
    expect(() => createTestService({ keys: [pair(p256)], algorithm: 'HS256' })).toThrow(
      'jwt-auth: option `algorithm` is set together with `keys`; set it in each of `keys` only.\nSee https://',
    )
  })

  it('rejects keys without secret', () => {
    expect(() => createTestService({ keys: [pair(p256)], secret: undefined })).toThrow('option `secret` is missing')
  })

  it('creates a service without public keys from secrets', () => {
    const { service } = createTestService()
    expect(() => service.jwks()).toThrow('jwt-auth: jwks publishes public keys, which secrets do not have')
  })
})

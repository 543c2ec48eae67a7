import { generateKeyPairSync } from 'node:crypto'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { Limiter, TokenServiceOptions } from '../../src/index.js'
import { createReplaceableKeyRing, deriveLimitSecret } from '../../src/keys/key-ring.js'
import { readKeyRing, readKeys, readServiceSecrets } from '../../src/keys/read-key-ring.js'
import { testKeys } from '../support/test-keys.js'

const [first, second] = ['first', 'second'].map((name) => `${name} b3f1 90c2 77aa 41de 8c65 0f12`)
const active = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const former = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const entry = (key: typeof active.privateKey, state: 'active' | 'verify') =>
  ({ key, algorithm: 'ES256', state }) as const

describe('the service secrets of a key ring', () => {
  it('contain one for each secret, the active one first', () => {
    const { serviceSecrets } = readKeyRing({ secret: [first ?? '', second ?? ''] })
    expect(serviceSecrets).toHaveLength(2)
    expect(readKeyRing({ secret: first ?? '' }).serviceSecrets).toEqual([serviceSecrets[0]])
    expect(readKeyRing({ secret: second ?? '' }).serviceSecrets).toEqual([serviceSecrets[1]])
    expect(serviceSecrets.map((secret) => secret.length)).toEqual([32, 32])
  })

  it('do not change between versions of the library', () => {
    const [secret] = readKeyRing({ secret: first }).serviceSecrets
    expect(secret.toString('hex')).toMatchInlineSnapshot(
      `"887711393ca32dd984ad86a05ffe614f37b0ec8f4130bd0848b53736fd999be9"`,
    )
  })

  it('are derived from each secret of the option serviceSecret, in its order', () => {
    const one = readServiceSecrets('serviceSecret', first) ?? []
    const other = readServiceSecrets('serviceSecret', second) ?? []
    expect(one).not.toEqual(other)
    expect(readServiceSecrets('serviceSecret', [second, first])).toEqual([...other, ...one])
  })

  it('include the one of a private key that only verifies', () => {
    const { serviceSecrets } = readKeys([entry(active.privateKey, 'active'), entry(former.privateKey, 'verify')])
    const changed = readKeys([entry(former.privateKey, 'active'), entry(active.privateKey, 'verify')])
    expect(serviceSecrets).toHaveLength(2)
    expect(changed.serviceSecrets).toEqual(serviceSecrets.toReversed())
  })

  it('are the same for a private key in PEM and as a JWK', () => {
    const { privateKey } = active
    const pem = privateKey.export({ type: 'sec1', format: 'pem' }).toString()
    const jwk = privateKey.export({ format: 'jwk' })
    const secrets = [privateKey, pem, jwk].map(
      (key) => readKeys([{ key, algorithm: 'ES256', state: 'active' }]).serviceSecrets,
    )
    expect(secrets).toEqual([secrets[0], secrets[0], secrets[0]])
  })

  it('exclude public keys, from which anyone could derive one', () => {
    const { serviceSecrets } = readKeys([entry(active.privateKey, 'active'), entry(former.publicKey, 'verify')])
    expect(serviceSecrets).toEqual(readKeys([entry(active.privateKey, 'active')]).serviceSecrets)
  })

  it('change when the ring is replaced', () => {
    const ring = createReplaceableKeyRing(readKeyRing({ secret: first ?? '' }))
    const next = readKeyRing({ secret: [second ?? '', first ?? ''] })
    ring.replace(next)
    expect(ring.serviceSecrets).toEqual(next.serviceSecrets)
  })
})

describe('the secret of the keys of limits', () => {
  const [serviceSecret] = readKeyRing({ secret: first }).serviceSecrets

  it('is of its own for each issuer', () => {
    const secrets = ['https://a.example', 'https://b.example'].map((issuer) => deriveLimitSecret(serviceSecret, issuer))
    expect(secrets[0]).not.toEqual(secrets[1])
    expect(secrets).not.toContainEqual(serviceSecret)
  })

  it('does not change between versions of the library', () => {
    expect(deriveLimitSecret(serviceSecret, 'https://a.example').toString('hex')).toMatchInlineSnapshot(
      `"00c2fd821ec26353d9979b563ec0193f6149086e1390ee4c6c4bad70446f67a6"`,
    )
  })
})

const otherSecret = `2-${testSecret}`

/** The keys under which a service counts a failed login. */
const limitKeysOf = async (options: Partial<TokenServiceOptions>): Promise<readonly string[]> => {
  const keys: string[] = []
  const limiter: Limiter = {
    reserve: async (counts) => {
      keys.push(...counts.map(({ key }) => key))
      return { windows: counts.map(({ key }) => ({ key, count: 1, endsAt: Date.now() + 1_000 })), isMarked: false }
    },
    refund: async () => {},
  }
  const { service } = createTestService({ ...options, rateLimits: { limiter } })
  await rejectionOf(service.authenticate({ username: 'ann', password: 'wrong' }, { address: '192.0.2.1' }))
  return keys
}

describe('the keys of limits', () => {
  it('are derived from serviceSecret and not from the signing keys', async () => {
    const keys = await limitKeysOf({ serviceSecret: testSecret, secret: otherSecret })
    expect(keys.length).toBeGreaterThan(0)
    expect(
      await limitKeysOf({
        serviceSecret: testSecret,
        secret: undefined,
        keys: [{ key: testKeys.p256, algorithm: 'ES256', state: 'active' }],
      }),
    ).toEqual(keys)
  })

  it('are derived from the first of several serviceSecrets', async () => {
    const keys = await limitKeysOf({ serviceSecret: testSecret })
    expect(await limitKeysOf({ serviceSecret: [testSecret, otherSecret] })).toEqual(keys)
    expect(await limitKeysOf({ serviceSecret: [otherSecret, testSecret] })).not.toEqual(keys)
  })

  it('are derived from the active key without serviceSecret', async () => {
    const keys = await limitKeysOf({ secret: testSecret })
    expect(await limitKeysOf({ secret: [testSecret, otherSecret] })).toEqual(keys)
    expect(await limitKeysOf({ secret: otherSecret })).not.toEqual(keys)
  })
})

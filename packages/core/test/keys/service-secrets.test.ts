import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { Limiter, TokenServiceOptions } from '../../src/index.js'
import { deriveLimitSecret } from '../../src/keys/key-ring.js'
import { readServiceKeys } from '../../src/keys/read-key-ring.js'
import { testKeys } from '../support/test-keys.js'

const [first, second] = ['first', 'second'].map((name) => `${name} b3f1 90c2 77aa 41de 8c65 0f12`)

describe('the service secrets', () => {
  it('contain one for each secret, the active one first', () => {
    const { serviceSecrets } = readServiceKeys({ secret: [first ?? '', second ?? ''] })
    expect(serviceSecrets).toHaveLength(2)
    expect(readServiceKeys({ secret: first ?? '' }).serviceSecrets).toEqual([serviceSecrets[0]])
    expect(readServiceKeys({ secret: second ?? '' }).serviceSecrets).toEqual([serviceSecrets[1]])
    expect(serviceSecrets.map((secret) => secret.length)).toEqual([32, 32])
  })

  it('do not change between versions of the library', () => {
    const [secret] = readServiceKeys({ secret: first }).serviceSecrets
    expect(secret.toString('hex')).toMatchInlineSnapshot(
      `"887711393ca32dd984ad86a05ffe614f37b0ec8f4130bd0848b53736fd999be9"`,
    )
  })

  it('are the same when keys sign', () => {
    const keys = [{ key: testKeys.p256, algorithm: 'ES256', state: 'active' }]
    const { keyRing, serviceSecrets } = readServiceKeys({ secret: first, keys })
    expect(serviceSecrets).toEqual(readServiceKeys({ secret: first }).serviceSecrets)
    expect(keyRing.keys.size).toBe(1)
    expect(keyRing.active.algorithm).toBe('ES256')
  })
})

describe('the secret of the keys of limits', () => {
  const [serviceSecret] = readServiceKeys({ secret: first }).serviceSecrets

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
  await rejectionOf(service.login({ username: 'ann', password: 'wrong' }, { address: '192.0.2.1' }))
  return keys
}

describe('the keys of limits', () => {
  it('are derived from secret, also when keys sign', async () => {
    const keys = await limitKeysOf({ secret: testSecret })
    expect(keys.length).toBeGreaterThan(0)
    expect(
      await limitKeysOf({ secret: testSecret, keys: [{ key: testKeys.p256, algorithm: 'ES256', state: 'active' }] }),
    ).toEqual(keys)
  })

  it('are derived from the first of several secrets', async () => {
    const keys = await limitKeysOf({ secret: testSecret })
    expect(await limitKeysOf({ secret: [testSecret, otherSecret] })).toEqual(keys)
    expect(await limitKeysOf({ secret: [otherSecret, testSecret] })).not.toEqual(keys)
  })
})

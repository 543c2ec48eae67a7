import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { Limiter, TokenServiceOptions } from '../../src/index.js'
import { testKeys } from '../support/test-keys.js'

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

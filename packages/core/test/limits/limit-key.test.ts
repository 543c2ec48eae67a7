import { describe, expect, it } from 'vitest'
import { readSecret } from '../../src/keys/read-secret.js'
import { deriveSecret } from '../../src/keys/ring-key.js'
import { createLimitKeys } from '../../src/limits/limit-key.js'
import { testSecret } from '../support/test-service.js'

const one = createLimitKeys(Buffer.alloc(32, 1))
const another = createLimitKeys(Buffer.alloc(32, 2))

describe('the keys of limits', () => {
  it('fold to one of 2^20, and to the same on every instance', () => {
    expect(one.fold('ann')).toBe(createLimitKeys(Buffer.alloc(32, 1)).fold('ann'))
    expect(Number.parseInt(one.fold('ann'), 36)).toBeLessThan(2 ** 20)
  })

  it('depend on the secret: two names that collide with one secret do not collide with another', () => {
    // Found among a few thousand names.
    const [name, colliding] = ['user-28', 'user-1010']
    expect(one.fold(colliding)).toBe(one.fold(name))
    expect(another.fold(colliding)).not.toBe(another.fold(name))
  })

  it('are unique where only a login makes them', () => {
    expect(one.unique('192.0.2.1', 'ann')).toHaveLength(22)
    expect(one.unique('192.0.2.1', 'ann')).not.toBe(one.unique('192.0.2.1', 'bob'))
  })
})

describe('a secret for another purpose', () => {
  const { signing } = readSecret('secret', testSecret, 'HS256')

  it('is the same for one key and one purpose, and another for another', () => {
    expect(deriveSecret(signing.key, 'a')).toEqual(deriveSecret(signing.key, 'a'))
    expect(deriveSecret(signing.key, 'a')).not.toEqual(deriveSecret(signing.key, 'b'))
    const other = readSecret('secret', `${testSecret}-2`, 'HS256').signing
    expect(deriveSecret(other.key, 'a')).not.toEqual(deriveSecret(signing.key, 'a'))
  })
})

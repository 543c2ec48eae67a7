import { describe, expect, it } from 'vitest'
import { createLimitKeys } from '../../src/limits/limit-keys.js'

const one = createLimitKeys(Buffer.alloc(32, 1))
const another = createLimitKeys(Buffer.alloc(32, 2))

describe('createLimitKeys', () => {
  it('returns shared keys, one of 2^20 keys, the same on every instance', () => {
    expect(one.sharedKey('ann')).toBe(createLimitKeys(Buffer.alloc(32, 1)).sharedKey('ann'))
    expect(Number.parseInt(one.sharedKey('ann'), 36)).toBeLessThan(2 ** 20)
  })

  it('returns shared keys that depend on the secret: names that collide under one secret do not collide under another', () => {
    // Found among a few thousand names.
    const [name, colliding] = ['user-28', 'user-1010']
    expect(one.sharedKey(colliding)).toBe(one.sharedKey(name))
    expect(another.sharedKey(colliding)).not.toBe(another.sharedKey(name))
  })

  it('returns exact keys, which nothing else has', () => {
    expect(one.exactKey('192.0.2.1', 'ann')).toHaveLength(22)
    expect(one.exactKey('192.0.2.1', 'ann')).not.toBe(one.exactKey('192.0.2.1', 'bob'))
  })
})

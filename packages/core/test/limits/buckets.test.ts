import { canonicalUsername } from '@jwt-auth/passwords'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBuckets, toAccountKey } from '../../src/limits/buckets.js'
import { readRateLimits } from '../../src/limits/rate-limits.js'

// The unit `binary` of fast-check takes a second to load.
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))

describe('toAccountKey', () => {
  it.each([
    ['ADA', 'ada'],
    ['ada ', 'ada'],
    [' a d\u00a0a', 'ada'],
    ['àdá', 'ada'],
    ['ada\u0301', 'ada'],
    ['ａｄａ', 'ada'],
    ['a\u200bda\u00ad', 'ada'],
    ['ada\0', 'ada'],
    ['straße', 'strasse'],
    ['straße', 'strase'],
    ['STRAẞE', 'strasse'],
    ['ﬁona', 'fiona'],
    ['İ', 'i'],
    ['ı', 'i'],
    ['ſam', 'sam'],
    ['Łódź', 'lodz'],
    ['øla', 'ola'],
    ['æneas', 'aeneas'],
    ['œdipe', 'oedipe'],
    ['ada٣', 'ada3'],
    ['ada३', 'ada3'],
    ['ad\u0363', 'ada'],
    ['サクラ', 'さくら'],
    ['ｻｸﾗ', 'さくら'],
    ['ゃぎ', 'やき'],
    ['\u{20bb7}田', '\u{20000}田'],
    ['שלומ', 'שלום'],
  ])('returns the same key for %j and %j, which many databases take for one name', (spelling, name) => {
    expect(toAccountKey(spelling)).toBe(toAccountKey(name))
  })

  it.each([
    ['ada', 'ida'],
    ['ada', 'ada1'],
    ['sam', 'am'],
    ['ada@example.com', 'ada@example.org'],
    ['жан', 'жак'],
    ['さくら', 'さくや'],
    ['田中', '山中'],
    ['김철수', '김영수'],
    ['محمد', 'محمود'],
    ['राम', 'श्याम'],
  ])('returns different keys for %j and %j', (one, other) => {
    expect(toAccountKey(one)).not.toBe(toAccountKey(other))
  })

  it('ignores everything after 256 characters', () => {
    const name = 'ﷺ'.repeat(256)
    expect(toAccountKey(`${name}${'ﷺ'.repeat(3_840)}`)).toBe(toAccountKey(name))
  })

  it('returns the same key for all spellings of a canonical name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const canonical = canonicalUsername(name)
        expect(canonical === undefined || toAccountKey(name) === toAccountKey(canonical)).toBe(true)
      }),
    )
  })

  it('returns a key unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (name) => {
        expect(toAccountKey(toAccountKey(name))).toBe(toAccountKey(name))
      }),
    )
  })
})

const createOf = (secret: number) => createBuckets(readRateLimits() || expect.unreachable(), Buffer.alloc(32, secret))
const keyOf = (route: string, secret = 1): string => createOf(secret).ofTokens(route, '').key

describe('createBuckets', () => {
  it('returns one of 2^20 keys for a count, the same on every instance', () => {
    expect(keyOf('ann')).toBe(keyOf('ann'))
    expect(Number.parseInt(keyOf('ann').split(':')[1] ?? '', 36)).toBeLessThan(2 ** 20)
  })

  it('returns keys that depend on the secret: names that collide under one secret do not collide under another', () => {
    // Found among a few thousand names.
    const [name, colliding] = ['user-164', 'user-525']
    expect(keyOf(colliding)).toBe(keyOf(name))
    expect(keyOf(colliding, 2)).not.toBe(keyOf(name, 2))
  })

  it('returns keys of a mark and a user that nothing else has', () => {
    const login = { account: 'ann', user: undefined, network: '192.0.2.1' }
    const keys = [login, { ...login, account: 'bob' }, { ...login, network: '192.0.2.2' }].map(createOf(1).ofLogin)
    expect(keys[0]?.userKey).toHaveLength(22)
    expect(new Set(keys.map(({ mark }) => mark)).size).toBe(3)
    expect(new Set(keys.map(({ userKey }) => userKey)).size).toBe(2)
  })
})

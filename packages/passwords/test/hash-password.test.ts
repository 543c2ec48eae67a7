import { createHmac } from 'node:crypto'
import { usageError } from '@jwt-auth/core/internal'
import { callUntyped } from '@jwt-auth/test-support/outcome'
import bcrypt from 'bcrypt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readBcryptHash } from '../src/bcrypt.js'
import { bcryptHasher, hashPassword } from '../src/index.js'
import { verifyPassword } from '../src/internal.js'

const cost = 4
// Openwall's test vector of crypt_blowfish for the password `U*U`.
const known = { password: 'U*U', tail: '05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' }

const hashAsWordPress = async (password: string): Promise<string> => {
  const digest = createHmac('sha384', 'wp-sha384').update(password.trim()).digest('base64')
  return `$wp${(await bcrypt.hash(digest, cost)).replace('$2b$', '$2y$')}`
}

describe('hashPassword', () => {
  it('returns a bcrypt hash with a versioned prefix', async () => {
    expect(await hashPassword('correct horse', { cost })).toMatch(/^\$jwtauth1\$2b\$04\$[./A-Za-z0-9]{53}$/)
  })

  it('uses a new salt each time', async () => {
    expect(await hashPassword('correct horse', { cost })).not.toBe(await hashPassword('correct horse', { cost }))
  })

  it('uses the cost 12 by default', async () => {
    expect(await hashPassword('correct horse')).toMatch(/^\$jwtauth1\$2b\$12\$/)
    expect(await hashPassword('correct horse', { cost: undefined })).toMatch(/^\$jwtauth1\$2b\$12\$/)
  })

  it.each([
    ['after 72 bytes', `${'x'.repeat(72)}a`, `${'x'.repeat(72)}b`],
    ['after 255 bytes', `${'x'.repeat(255)}a`, `${'x'.repeat(255)}b`],
    ['at 4,096 characters', `${'x'.repeat(4_095)}a`, `${'x'.repeat(4_095)}b`],
    ['after a NUL character', 'x\0a', 'x\0b'],
    ['in the last space', 'correct horse', 'correct horse '],
    ['in case', 'correct horse', 'Correct horse'],
    ['after 72 bytes of characters of two bytes', `${'é'.repeat(36)}a`, `${'é'.repeat(36)}b`],
  ])('distinguishes passwords that differ %s', async (_, password, other) => {
    const hash = await hashPassword(password, { cost })
    expect(await verifyPassword(password, hash, { cost })).toBe(true)
    expect(await verifyPassword(other, hash, { cost })).toBe(false)
  })

  it.each([
    ['caf\u00e9', 'cafe\u0301'],
    ['cafe\u0301', 'caf\u00e9'],
  ])('takes %j and %j, which differ in the composition of an accent, for one password', async (password, other) => {
    expect(await verifyPassword(other, await hashPassword(password, { cost }), { cost })).toBe(true)
    // Hashes of another system are compared with the password as it is sent.
    const foreign = await bcrypt.hash(password, cost)
    expect(await verifyPassword(password, foreign, { cost })).toBe(true)
    expect(await verifyPassword(other, foreign, { cost })).toBe(false)
  })

  it('hashes base64 HMAC-SHA-384 of the password under a public key', async () => {
    const hash = await hashPassword('correct horse', { cost })
    const digest = createHmac('sha384', 'jwt-auth password v1').update('correct horse').digest('base64')
    expect(await bcrypt.compare(digest, hash.replace('$jwtauth1', ''))).toBe(true)
  })
})

// Openwall's test vectors of crypt_blowfish. The others were made with libxcrypt 4.4.33 and OpenSSL's HMAC.
const longPassword =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored'
const knownHashes = [
  ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['U*U*', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
  ['U*U*U', '$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
  ['', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy'],
  [longPassword, '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui'],
  ['pa\u00dfwort', '$2b$05$bvIG6Nmid91Mu9RcmmWZfO7QVw7l85S5j0ZxKiurnxZtuXNEvXQcO'],
  ['pa\u00dfwort', '$2y$05$bvIG6Nmid91Mu9RcmmWZfO7QVw7l85S5j0ZxKiurnxZtuXNEvXQcO'],
  ['correct horse battery staple', '$wp$2y$05$bvIG6Nmid91Mu9RcmmWZfOBri9sN15OYG3v54QahrAOArKYde9PMy'],
  [`pa\u00dfwort ${'x'.repeat(80)}`, '$wp$2y$05$bvIG6Nmid91Mu9RcmmWZfOtWm2MlvajUofL.0HNTqCwwPclPf8nZW'],
  ['correct horse battery staple', '$jwtauth1$2b$05$bvIG6Nmid91Mu9RcmmWZfOF47bYPzC8hzeaiNGyvZTTfwi/y4ZW86'],
] as const

describe('verifyPassword', () => {
  it.each(knownHashes)('matches the hash of another implementation: %j, %s', async (password, hash) => {
    expect(await verifyPassword(password, hash, { cost })).toBe(true)
    expect(await verifyPassword(`!${password}`, hash, { cost })).toBe(false)
  })

  it.each(["it's", 'say "hi"', 'a\\b', '"'])(
    'matches the hash of %j as the pages of WordPress and as its programs store it',
    async (password) => {
      const escaped = password.replace(/['"\\]/g, '\\$&')
      for (const hashed of [escaped, password]) {
        const hash = await hashAsWordPress(hashed)
        expect(await bcryptHasher({ cost }).verify(password, hash)).toBe('match')
        expect(await verifyPassword(`${password}!`, hash, { cost })).toBe(false)
      }
      for (const hash of [await bcrypt.hash(escaped, cost), await hashPassword(escaped, { cost })]) {
        expect(await verifyPassword(password, hash, { cost })).toBe(false)
      }
    },
  )

  it('compares the first 72 bytes with a hash of the form $2b$', async () => {
    const hash = await bcrypt.hash('x'.repeat(80), cost)
    expect(await verifyPassword('x'.repeat(72), hash, { cost })).toBe(true)
    expect(await verifyPassword('x'.repeat(71), hash, { cost })).toBe(false)
  })

  it('distinguishes a NUL in the password from its end with the form $2b$', async () => {
    expect(await verifyPassword('ab\0cd', await bcrypt.hash('ab', cost), { cost })).toBe(false)
    expect(await verifyPassword('ab\0cd', await bcrypt.hash('ab\0ef', cost), { cost })).toBe(false)
    expect(await verifyPassword('ab\0cd', await bcrypt.hash('ab\0cd', cost), { cost })).toBe(true)
  })

  it('compares more than 72 bytes with a hash of the form $wp$2y$', async () => {
    const hash = await hashAsWordPress(`${'x'.repeat(72)}a`)
    expect(await verifyPassword(`${'x'.repeat(72)}a`, hash, { cost })).toBe(true)
    expect(await verifyPassword(`${'x'.repeat(72)}b`, hash, { cost })).toBe(false)
  })

  it('trims the password for the form $wp$2y$ as WordPress does', async () => {
    const hash = await hashAsWordPress('correct horse')
    expect(await verifyPassword(' \t\n\r\v\0correct horse\0 ', hash, { cost })).toBe(true)
    expect(await verifyPassword('\u00a0correct horse', hash, { cost })).toBe(false)
  })

  it.each([
    ['empty text', ''],
    ['plain text', 'correct horse'],
    ['phpass', '$P$BVbptZxEcZV2yeLyYeN.O4ZeG8225d.'],
    ['MD5', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['argon2', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaX3'],
    ['SHA-512 crypt', '$6$rounds=5000$salt$hash'],
    ['the faulty variant $2x$', `$2x$${known.tail}`],
    ['$2$', `$2$${known.tail}`],
    ['a missing character', `$2b$${known.tail.slice(0, -1)}`],
    ['a trailing line feed', `$2b$${known.tail}\n`],
    ['trailing characters after NUL', `$2b$${known.tail}\0junk`],
    ['a salt with unused bits', `$2b$${known.tail.replace('C.E5', 'C/E5')}`],
    ['a leading space', ` $2b$${known.tail}`],
    ['a prefix of a later version', `$jwtauth2$2b$${known.tail}`],
    ['two prefixes', `$wp$jwtauth1$2b$${known.tail}`],
    ['a prefix alone', '$jwtauth1'],
  ])('returns false for a hash that it does not read: %s', async (_, stored) => {
    expect(await verifyPassword(known.password, stored, { cost })).toBe(false)
  })

  it.each([null, undefined])('returns false without a hash: %s', async (none) => {
    expect(await verifyPassword(known.password, none, { cost })).toBe(false)
    expect(await verifyPassword('', none, { cost })).toBe(false)
  })

  it('returns false for a plain bcrypt hash behind another prefix', async () => {
    expect(await verifyPassword(known.password, `$jwtauth1$2b$${known.tail}`, { cost })).toBe(false)
    expect(await verifyPassword(known.password, `$wp$2y$${known.tail}`, { cost })).toBe(false)
  })

  it('reports a password with a NUL as truncated by a plain bcrypt hash', async () => {
    const hasher = bcryptHasher({ cost })
    const hash = await bcrypt.hash('pw', cost)
    expect(await hasher.verify('pw', hash)).toBe('match')
    expect(await hasher.verify('pw\0pw', hash)).toBe('truncated')
    expect(await hasher.verify('pw\0pw', await hasher.hash('pw'))).toBe('mismatch')
  })

  it('throws a TypeError for the hash and the password in the wrong order', async () => {
    const hash = await hashPassword('correct horse', { cost })
    await expect(verifyPassword(hash, 'correct horse', { cost })).rejects.toThrow(
      'jwt-auth: verifyPassword received a hash as the password; write verifyPassword(password, hash).',
    )
    expect(await verifyPassword(hash, hash, { cost })).toBe(false)
    expect(await verifyPassword(hash, null, { cost })).toBe(false)
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['7', 7],
  ])('throws a TypeError when the password is %s', async (received, password) => {
    await expect(callUntyped(verifyPassword, password, `$2b$${known.tail}`, { cost })).rejects.toThrow(
      usageError('verifyPassword', `verifyPassword needs the password as text; received ${received}.`),
    )
  })

  it.each([5, {}, [], true])('returns false for a stored value that is not text: %j', async (stored) => {
    // @ts-expect-error a table may hold anything
    expect(await verifyPassword('a', stored, { cost })).toBe(false)
  })
})

// As the library writes it: 22 characters of salt, 31 characters of digest.
const tail = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'

describe('readBcryptHash', () => {
  it.each([4, 15])('reads a hash of cost %i', (cost) => {
    const digits = String(cost).padStart(2, '0')
    expect(readBcryptHash(`$2y$${digits}$${tail}`)).toMatchObject({ cost, bcryptHash: `$2b$${digits}$${tail}` })
  })

  // A cost of 31 would hold a thread for a day.
  it.each(['00', '03', '16', '31', '99'])('returns undefined for a hash of cost %s', (digits) => {
    expect(readBcryptHash(`$2b$${digits}$${tail}`)).toBeUndefined()
  })

  it.each([
    ['$jwtauth1', true],
    ['$wp', false],
    ['', false],
  ])('returns, for a hash with the prefix "%s", isNew: %s', (prefix, isNew) => {
    expect(readBcryptHash(`${prefix}$2b$10$${tail}`)).toMatchObject({ isNew })
  })

  it("trims the password of a WordPress hash like PHP's trim", () => {
    const wordpress = readBcryptHash(`$wp$2y$10$${tail}`)
    const character = fc.constantFrom(...' \t\n\r\0\v', 'a', '\u00a0', '\f', '\u{1f600}')
    fc.assert(
      fc.property(fc.string({ unit: character }), (password) => {
        const left = password.replace(/^[ \t\n\r\0\v]+/, '').replace(/[ \t\n\r\0\v]+$/, '')
        expect(wordpress?.prepare(password)).toBe(wordpress?.prepare(left))
        expect(wordpress?.coversAll(password)).toBe(password === left)
      }),
    )
  })

  it.each([`$2x$10$${tail}`, `$2b$1$${tail}`, `$2b$10$${tail}x`, `$2b$10$${tail.slice(0, -1)}X`, ''])(
    'returns undefined for %j',
    (stored) => {
      expect(readBcryptHash(stored)).toBeUndefined()
    },
  )
})

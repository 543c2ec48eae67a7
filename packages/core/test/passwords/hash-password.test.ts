import { createHmac } from 'node:crypto'
import bcrypt from 'bcrypt'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bcryptHasher, hashPassword, verifyPassword } from '../../src/index.js'

const cost = 4
// A known answer of crypt_blowfish, Openwall's own test vector for the password `U*U`.
const known = { password: 'U*U', tail: '05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW' }

const hashAsWordPress = async (password: string): Promise<string> => {
  const digest = createHmac('sha384', 'wp-sha384').update(password.trim()).digest('base64')
  return `$wp${(await bcrypt.hash(digest, cost)).replace('$2b$', '$2y$')}`
}

describe('a new password hash', () => {
  it('is bcrypt under a versioned prefix', async () => {
    expect(await hashPassword('correct horse', { cost })).toMatch(/^\$jwtauth1\$2b\$04\$[./A-Za-z0-9]{53}$/)
  })

  it('has a salt of its own each time', async () => {
    expect(await hashPassword('correct horse', { cost })).not.toBe(await hashPassword('correct horse', { cost }))
  })

  it('has the cost 12 unless the host names one', async () => {
    expect(await hashPassword('correct horse')).toMatch(/^\$jwtauth1\$2b\$12\$/)
    expect(await hashPassword('correct horse', { cost: undefined })).toMatch(/^\$jwtauth1\$2b\$12\$/)
  })

  it('is that of its password and of no other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1, maxLength: 100 }),
        fc.string({ minLength: 1, maxLength: 3 }),
        async (password, more) => {
          const hash = await hashPassword(password, { cost })
          expect(await verifyPassword(password, hash, { cost })).toBe(true)
          expect(await verifyPassword(password + more, hash, { cost })).toBe(false)
        },
      ),
      { numRuns: 25 },
    )
  })

  it.each([
    ['beyond 72 bytes', `${'x'.repeat(72)}a`, `${'x'.repeat(72)}b`],
    ['beyond 255 bytes', `${'x'.repeat(255)}a`, `${'x'.repeat(255)}b`],
    ['at 4,096 characters', `${'x'.repeat(4_095)}a`, `${'x'.repeat(4_095)}b`],
    ['behind a NUL character', 'x\0a', 'x\0b'],
    ['in the last space', 'correct horse', 'correct horse '],
    ['in its case', 'correct horse', 'Correct horse'],
    ['in the spelling of an accent', 'caf\u00e9', 'cafe\u0301'],
    ['beyond 72 bytes of long characters', `${'é'.repeat(36)}a`, `${'é'.repeat(36)}b`],
  ])('counts what differs %s', async (_, password, other) => {
    const hash = await hashPassword(password, { cost })
    expect(await verifyPassword(password, hash, { cost })).toBe(true)
    expect(await verifyPassword(other, hash, { cost })).toBe(false)
  })

  it('needs no secret of the server: it is bcrypt over base64 HMAC-SHA-384 under a public constant', async () => {
    const hash = await hashPassword('correct horse', { cost })
    const digest = createHmac('sha384', 'jwt-auth password v1').update('correct horse').digest('base64')
    expect(await bcrypt.compare(digest, hash.replace('$jwtauth1', ''))).toBe(true)
  })
})

// Those of crypt_blowfish are Openwall's own test vectors; the others were made with libxcrypt 4.4.33 and OpenSSL's HMAC.
const longPassword =
  '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored'
const knownAnswers = [
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

describe('a known answer of another implementation', () => {
  it.each(knownAnswers)('is the hash of its password and of no other: %j, %s', async (password, hash) => {
    expect(await verifyPassword(password, hash, { cost })).toBe(true)
    expect(await verifyPassword(`!${password}`, hash, { cost })).toBe(false)
  })
})

describe('a stored hash of another origin', () => {
  it.each(['$2a$', '$2b$', '$2y$'])('of the form %s is read', async (form) => {
    expect(await verifyPassword(known.password, form + known.tail, { cost })).toBe(true)
    expect(await verifyPassword(`${known.password}*`, form + known.tail, { cost })).toBe(false)
  })

  it('of the form $2b$ is read by its first 72 bytes, as bcrypt made it', async () => {
    const hash = await bcrypt.hash('x'.repeat(80), cost)
    expect(await verifyPassword('x'.repeat(72), hash, { cost })).toBe(true)
    expect(await verifyPassword('x'.repeat(71), hash, { cost })).toBe(false)
  })

  it('of the form $2b$ tells a NUL in the password from its end', async () => {
    expect(await verifyPassword('ab\0cd', await bcrypt.hash('ab', cost), { cost })).toBe(false)
    expect(await verifyPassword('ab\0cd', await bcrypt.hash('ab\0ef', cost), { cost })).toBe(false)
    expect(await verifyPassword('ab\0cd', await bcrypt.hash('ab\0cd', cost), { cost })).toBe(true)
  })

  it('of the form $wp$2y$ is read as WordPress 6.8 writes it', async () => {
    const hash = await hashAsWordPress('correct horse')
    expect(hash).toMatch(/^\$wp\$2y\$04\$/)
    expect(await verifyPassword('correct horse', hash, { cost })).toBe(true)
    expect(await verifyPassword('correct horses', hash, { cost })).toBe(false)
  })

  it('of the form $wp$2y$ counts beyond 72 bytes', async () => {
    const hash = await hashAsWordPress(`${'x'.repeat(72)}a`)
    expect(await verifyPassword(`${'x'.repeat(72)}a`, hash, { cost })).toBe(true)
    expect(await verifyPassword(`${'x'.repeat(72)}b`, hash, { cost })).toBe(false)
  })

  it('of the form $wp$2y$ trims the password as WordPress does at a login', async () => {
    const hash = await hashAsWordPress('correct horse')
    expect(await verifyPassword(' \t\n\r\v\0correct horse\0 ', hash, { cost })).toBe(true)
    expect(await verifyPassword('\u00a0correct horse', hash, { cost })).toBe(false)
  })

  it.each([
    ['nothing', ''],
    ['plain text', 'correct horse'],
    ['phpass', '$P$BVbptZxEcZV2yeLyYeN.O4ZeG8225d.'],
    ['MD5', '5f4dcc3b5aa765d61d8327deb882cf99'],
    ['argon2', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b4dWRWJTmaaX3'],
    ['SHA-512 crypt', '$6$rounds=5000$salt$hash'],
    ['the faulty variant $2x$', `$2x$${known.tail}`],
    ['$2$', `$2$${known.tail}`],
    ['a cost below 4', `$2b$03$${known.tail.slice(3)}`],
    ['a cost above 31', `$2b$32$${known.tail.slice(3)}`],
    ['a cost of one digit', `$2b$5$${known.tail.slice(3)}`],
    ['a character too few', `$2b$${known.tail.slice(0, -1)}`],
    ['a character too many', `$2b$${known.tail}A`],
    ['a line feed behind', `$2b$${known.tail}\n`],
    ['NUL and more behind', `$2b$${known.tail}\0junk`],
    ['a salt with bits of nothing', `$2b$${known.tail.replace('C.E5', 'C/E5')}`],
    ['a digest with bits of nothing', `$2b$${known.tail.slice(0, -1)}X`],
    ['a cost that would take four seconds', `$2b$16$${known.tail.slice(3)}`],
    ['a space before', ` $2b$${known.tail}`],
    ['a prefix of a version to come', `$jwtauth2$2b$${known.tail}`],
    ['two prefixes', `$wp$jwtauth1$2b$${known.tail}`],
    ['a prefix alone', '$jwtauth1'],
  ])('is no password: %s', async (_, stored) => {
    expect(await verifyPassword(known.password, stored, { cost })).toBe(false)
  })

  it.each([null, undefined])('that is none (%s) is no password', async (none) => {
    expect(await verifyPassword(known.password, none, { cost })).toBe(false)
    expect(await verifyPassword('', none, { cost })).toBe(false)
  })

  it('that is bcrypt does not pass for one of ours by a prefix set before it', async () => {
    expect(await verifyPassword(known.password, `$jwtauth1$2b$${known.tail}`, { cost })).toBe(false)
    expect(await verifyPassword(known.password, `$wp$2y$${known.tail}`, { cost })).toBe(false)
  })
})

describe('a password with a NUL', () => {
  it('is not covered by a plain bcrypt hash, which takes `pw` and `pw\\0pw` for one', async () => {
    const hasher = bcryptHasher({ cost })
    const hash = await bcrypt.hash('pw', cost)
    expect(await hasher.verify('pw', hash)).toBe('match')
    expect(await hasher.verify('pw\0pw', hash)).toBe('truncated')
    expect(await hasher.verify('pw\0pw', await hasher.hash('pw'))).toBe('mismatch')
  })
})

describe('a stored value that is no text', () => {
  it.each([5, {}, [], true])('matches nothing: %j', async (stored) => {
    // @ts-expect-error a table may hold anything
    expect(await verifyPassword('a', stored, { cost })).toBe(false)
  })
})

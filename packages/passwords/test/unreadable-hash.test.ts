import { findByCredentials } from '@jwt-auth/test-support'
import { ann } from '@jwt-auth/test-support/test-directory'
import { describe, expect, it } from 'vitest'
import { argon2idHasher } from '../src/argon2.js'
import { bcryptHasher, hashPassword, type PasswordHasher, passwordUsers } from '../src/index.js'
import { phpassHasher } from '../src/legacy-hashers.js'

const { password, ...annAsUser } = ann
const cost = 4
const bcryptHash = await hashPassword(password, { cost })
const otherHash = await hashPassword('another', { cost })
const argon2idHash =
  '$argon2id$v=19$m=1024,t=1,p=1$and0LWF1dGggZHVtbXkgcw$bm9ib2R5IGhhcyBhIHBhc3N3b3JkIGZvciB0aGlzIHRhZy4'
const bcryptOnly = { cost }
const argon2idOnly = { hasher: argon2idHasher({ memoryKib: 1_024, passes: 1 }) }
const both = { ...argon2idOnly, legacyHashers: [bcryptHasher({ cost })] }

/** Returns the faults that a login with these hashers reports for a stored user. */
const faultsOf = async (stored: object, hashers: object = bcryptOnly, given = password): Promise<string[]> => {
  const faults: string[] = []
  const find = async () => ({ ...annAsUser, passwordHash: null, ...stored })
  const users = passwordUsers({ findByUsername: find, findById: find, ...hashers })
  await findByCredentials(users, 'ann', given, { reportFault: (message) => faults.push(message) })
  return faults
}

describe('a login with a stored hash that no hasher reads', () => {
  it.each([
    ['`$argon2id$…`', argon2idHash, bcryptOnly],
    ['`$argon2id$…`', argon2idHash.slice(0, 60), both],
    ['`$argon2id$…`', argon2idHash.replace('m=1024', 'm=9999999'), both],
    ['`$argon2d$…`', argon2idHash.replace('argon2id', 'argon2d'), both],
    ['`$jwtauth1$…`', bcryptHash, argon2idOnly],
    ['`$jwtauth1$…`', bcryptHash.slice(0, 60), bcryptOnly],
    ['`$jwtauth1$…`', `${bcryptHash}   `, bcryptOnly],
    ['`$2y$…`', `$2y$16$${'.'.repeat(53)}`, bcryptOnly],
    ['`$P$…`', '$P$BPasswordHashOfAnOldWordPress1/', bcryptOnly],
    ['`$P$…`', `$P$J${'.'.repeat(30)}`, { cost, legacyHashers: [phpassHasher()] }],
    ['`pbkdf2_sha256$…`', 'pbkdf2_sha256$1000$salt$hash', bcryptOnly],
    ['`$scrypt$…`', '$scrypt$ln=14,r=8,p=1$c2FsdA$dGFn', bcryptOnly],
    ['`$firebase$…`', '$firebase$c2FsdA==$dGFn', bcryptOnly],
    ['`$6$…`', '$6$rounds=5000$saltsalt$hash', bcryptOnly],
    ['plain text, or a hash of an unknown form', `${'0a'.repeat(16)}:${'0a'.repeat(64)}`, bcryptOnly],
    ['plain text, or a hash of an unknown form', '', bcryptOnly],
    ['plain text, or a hash of an unknown form', 'correct horse', bcryptOnly],
    ['plain text, or a hash of an unknown form', '$correct$horse', bcryptOnly],
    ['plain text, or a hash of an unknown form', '5f4dcc3b5aa765d61d8327deb882cf99', both],
  ])('reports the scheme of the hash and the fix (%#)', async (kind, passwordHash, hashers) => {
    expect(await faultsOf({ passwordHash }, hashers)).toEqual([
      `a login failed, and every password of this user fails: the stored password hash is ${kind}, which no configured hasher can read. Pass its hasher in \`hasher\` or \`legacyHashers\` (https://github.com/jwt-auth/jwt-auth/blob/main/docs/guide/users-and-passwords.md#hashes-of-another-system). If its hasher is configured, the hash is truncated, padded or out of bounds. Replace plain text with \`await hashPassword(password)\`, and empty text with null.`,
    ])
  })

  it.each([
    ['$argon2id$v=19$m=1024,t=1,p=1$c2FsdA$dGFn', argon2idHash],
    ['$jwtauth1$2b$12$abcdefgh', bcryptHash],
    ['$P$BPasswordHashOfAnOldWordPress1/', '$P$9AnotherHash'],
    ['$6$rounds=5000$saltsalt$hash', '$6$rounds=6000$tlastlas$other'],
    ['$scrypt$ln=14,r=8,p=1$c2FsdA$dGFn', '$scrypt$ln=16,r=8,p=1$c2FsdA$dGFn'],
    ['pbkdf2_sha256$1000$salt$hash', 'pbkdf2_sha256$2000$another$hash'],
    ['$firebase$c2FsdA==$dGFn', '$firebase$dGFn$c2FsdA=='],
    ['correct horse', 'battery staple'],
    ['$correct$horse', '$battery$staple'],
  ])('reports no other part of the hash (%#)', async (one, another) => {
    const [fault] = await faultsOf({ passwordHash: one, username: 'ann' }, { hasher: unreadingHasher })
    expect(fault).not.toMatch(/correct|horse|\bann\b/)
    expect(await faultsOf({ passwordHash: another }, { hasher: unreadingHasher })).toEqual([fault])
  })

  it('reports the same for the right password and a wrong one', async () => {
    const stored = { passwordHash: 'plain' }
    expect(await faultsOf(stored, bcryptOnly, 'plain')).toEqual(await faultsOf(stored, bcryptOnly, 'wrong'))
  })

  it('fails without a reporter too', async () => {
    const find = async () => ({ ...annAsUser, passwordHash: 'correct horse' })
    const users = passwordUsers({ findByUsername: find, findById: find, cost })
    expect(await findByCredentials(users, 'ann', password)).toBeUndefined()
  })
})

describe('a login that finds a user with another name', () => {
  it('reports neither name, and does not compare the hash', async () => {
    const faults = await faultsOf({ passwordHash: bcryptHash, username: 'eve' }, bcryptOnly)
    expect(faults).toEqual([expect.stringContaining('omit `username` from the returned user')])
    expect(faults.join()).not.toMatch(/eve|ann/)
  })
})

describe('a login without a fault of the application', () => {
  it.each([
    ['the right password', { passwordHash: bcryptHash }, bcryptOnly],
    ['a wrong password', { passwordHash: otherHash }, bcryptOnly],
    ['a wrong password and a legacy hasher', { passwordHash: otherHash }, both],
    ['a user without a password', { passwordHash: null }, bcryptOnly],
    ['a disabled user whose hash no hasher reads', { passwordHash: '!', disabled: true }, bcryptOnly],
  ])('reports nothing for %s', async (_, stored, hashers) => {
    expect(await faultsOf(stored, hashers)).toEqual([])
  })

  it('reports nothing for a hasher without isReadable', async () => {
    const { isReadable, ...hasher } = unreadingHasher
    expect(await faultsOf({ passwordHash: 'unreadable' }, { hasher })).toEqual([])
  })
})

const unreadingHasher: PasswordHasher = {
  hash: async () => '',
  verify: async () => 'mismatch',
  needsRehash: () => true,
  isReadable: () => false,
}

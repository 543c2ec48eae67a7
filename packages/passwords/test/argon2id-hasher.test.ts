import { findByCredentials } from '@jwt-auth/test-support'
import { callUntyped } from '@jwt-auth/test-support/outcome'
import argon2 from '@node-rs/argon2'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { argon2idHasher } from '../src/argon2.js'
import { readArgon2idCost } from '../src/argon2id.js'
import { bcryptHasher, hashPassword, type PasswordHasher, passwordUsers } from '../src/index.js'
import { verifyPassword } from '../src/internal.js'
import { loadNativePackage } from '../src/password-hasher.js'

const password = 'correct horse'
const small = { memoryKib: 1_024, passes: 2, parallelism: 1 }
const hasher = argon2idHasher(small)
// The hash of that password. A hash made while the file loads would fail before the tests.
const stored = '$argon2id$v=19$m=1024,t=2,p=1$/HzWmC79Zz1c1d1xB8cQXg$fmZIHvtaaje9qwuzXe2d5tRMKje879/UxZEU0836I1I'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('argon2idHasher', () => {
  it('returns a PHC string with a new salt', async () => {
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=1024,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(await hasher.hash(password)).not.toBe(stored)
  })

  it('uses 64 MiB, three passes and one lane by default', async () => {
    expect(await argon2idHasher().hash(password)).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
  })

  it.each([
    ['after 72 bytes', `${'x'.repeat(72)}a`, `${'x'.repeat(72)}b`],
    ['after a NUL character', 'x\0a', 'x\0b'],
    ['in the last space', 'correct horse', 'correct horse '],
  ])('distinguishes passwords that differ %s', async (_, one, other) => {
    const hash = await hasher.hash(one)
    expect(await hasher.verify(one, hash)).toBe('match')
    expect(await hasher.verify(other, hash)).toBe('mismatch')
  })

  it('takes passwords that differ in the composition of an accent for one, and reads hashes of both', async () => {
    const [composed, decomposed] = ['caf\u00e9', 'cafe\u0301']
    expect(await hasher.verify(composed, await hasher.hash(decomposed))).toBe('match')
    expect(await hasher.verify(decomposed, await hasher.hash(composed))).toBe('match')
    const foreign = await argon2.hash(decomposed, { memoryCost: 1_024, timeCost: 2, parallelism: 1 })
    expect(await hasher.verify(decomposed, foreign)).toBe('match')
    expect(await hasher.verify(composed, foreign)).toBe('mismatch')
  })

  // The test vectors of the reference implementation (phc-winner-argon2, src/test.c).
  it.each([
    ['password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
    ['password', '$argon2id$v=19$m=65536,t=1,p=1$c29tZXNhbHQ$9qWtwbpyPd3vm1rB1GThgPzZ3/ydHL92zKL+15XZypg'],
    ['differentpassword', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$C4TWUs9rDEvq7w3+J4umqA32aWKB1+DSiRuBfYxFj94'],
    ['password', '$argon2id$v=19$m=65536,t=2,p=1$ZGlmZnNhbHQ$vfMrBczELrFdWP0ZsfhWsRPaHppYdP3MVEMIVlqoFBw'],
  ])('matches a hash of the reference implementation: %j, %s', async (known, hash) => {
    expect(await hasher.verify(known, hash)).toBe('match')
    expect(await hasher.verify(`${known}!`, hash)).toBe('mismatch')
  })

  const [, , , , salt, tag] = stored.split('$')
  const withCost = (cost: string): string => `$argon2id$v=19$${cost}$${salt}$${tag}`

  it.each([
    ['Argon2i', stored.replace('argon2id', 'argon2i')],
    ['4 TiB of memory', withCost('m=4294967295,t=1,p=1')],
    ['a truncated tag', stored.slice(0, -25)],
    ['bcrypt', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['empty text', ''],
  ])('returns mismatch, without hashing with its cost, for a hash with %s', async (_, hash) => {
    const verify = vi.spyOn(argon2, 'verify')
    expect(await hasher.verify(password, hash)).toBe('mismatch')
    expect(hasher.needsRehash(hash)).toBe(true)
    expect(verify).not.toHaveBeenCalledWith(hash, expect.anything())
  })

  it.each([
    ['its own costs', small, false],
    ['more memory', { ...small, memoryKib: 2_048 }, true],
    ['more passes', { ...small, passes: 3 }, true],
    ['less of both', { memoryKib: 1_024, passes: 1 }, false],
  ])('compares the cost of a stored hash in needsRehash with %s', (_, options, needsRehash) => {
    expect(argon2idHasher(options).needsRehash(stored)).toBe(needsRehash)
  })

  it.each([
    [
      { memoryKib: 1_023 },
      '`argon2idHasher.memoryKib` must be a whole number of KiB from 1024 to 262144; received 1023',
    ],
    [{ passes: 17 }, '`argon2idHasher.passes` must be a whole number of passes from 1 to 16; received 17'],
    [{ parallelism: 0 }, '`argon2idHasher.parallelism` must be a whole number of lanes from 1 to 16; received 0'],
    [{ memory: 1 }, 'argon2idHasher has no option `memory` (did you mean `memoryKib`?); known options: memoryKib'],
  ])('names an invalid option: %j', (options, message) => {
    expect(() => callUntyped(argon2idHasher, options)).toThrow(message)
  })
})

describe('a check by argon2idHasher', () => {
  /** Returns memory times passes of every hash that ran, in KiB. */
  const workOf = async (with_: PasswordHasher, hash: string | undefined): Promise<number> => {
    const verify = vi.spyOn(argon2, 'verify')
    await with_.verify(password, hash)
    return verify.mock.calls.reduce((sum, [of]) => {
      const [, memory, passes] = /m=(\d+),t=(\d+),/.exec(String(of)) ?? []
      return sum + Number(memory) * Number(passes)
    }, 0)
  }

  const full = argon2idHasher({ memoryKib: 3_000, passes: 3 })

  it.each([
    ['no hash', undefined],
    ['a hash it cannot read', '$2b$12$'],
    ['a hash of less memory', { memoryKib: 1_500, passes: 3 }],
    ['a hash of fewer passes', { memoryKib: 3_000, passes: 1 }],
    ['a hash of less of both', { memoryKib: 1_024, passes: 1 }],
    ['a hash of less memory and more passes', { memoryKib: 1_024, passes: 8 }],
    ['a hash of its own cost', { memoryKib: 3_000, passes: 3 }],
  ])('takes the work of one hash for %s', async (_, storedAs) => {
    const hash = typeof storedAs === 'object' ? await argon2idHasher(storedAs).hash(password) : storedAs
    expect(await workOf(full, hash)).toBe(9_000)
  })

  it('takes the work of the stored hash if that is more', async () => {
    const hash = await argon2idHasher({ memoryKib: 4_000, passes: 3 }).hash(password)
    expect(await workOf(full, hash)).toBe(12_000)
  })

  it('never matches the hash that replaces a missing one', async () => {
    for (const guess of ['', 'password', 'nobody has a password for this tag.']) {
      expect(await full.verify(guess, undefined)).toBe('mismatch')
    }
  })
})

describe('passwordUsers on a table that moves from bcrypt to Argon2id', () => {
  const hashing = { hasher, legacyHashers: [bcryptHasher({ cost: 4 })] }

  const createHost = (passwordHash: string) => {
    let row = { id: 1, email: '', nicename: 'ann', displayName: '', credentialVersion: 1, passwordHash }
    const find = async () => row
    const replaceHash = async (_: unknown, expectedHash: string, newHash: string): Promise<boolean> => {
      if (row.passwordHash !== expectedHash) return false
      row = { ...row, passwordHash: newHash }
      return true
    }
    const users = passwordUsers({ findByUsername: find, findById: find, ...hashing, rehash: { replaceHash } })
    return { users, storedHash: () => row.passwordHash }
  }

  it('accepts both kinds, and replaces bcrypt by Argon2id', async () => {
    const { users, storedHash } = createHost(await hashPassword(password, { cost: 4 }))
    expect(await findByCredentials(users, 'ann', password)).toMatchObject({ id: 1 })
    expect(storedHash()).toMatch(/^\$argon2id\$/)
    expect(await findByCredentials(users, 'ann', password)).toMatchObject({ id: 1 })
    expect(await findByCredentials(users, 'ann', 'battery staple')).toBeUndefined()
  })

  it('has the same options as hashPassword and verifyPassword', async () => {
    const hash = await hashPassword(password, hashing)
    expect(hash).toMatch(/^\$argon2id\$/)
    expect(await verifyPassword(password, hash, hashing)).toBe(true)
    expect(await verifyPassword(password, await hashPassword(password, { cost: 4 }), hashing)).toBe(true)
  })
})

const salt = '/HzWmC79Zz1c1d1xB8cQXg'
const tag = 'fmZIHvtaaje9qwuzXe2d5tRMKje879/UxZEU0836I1I'

const hashOf = (costs: string, end = `${salt}$${tag}`): string => `$argon2id$v=19$${costs}$${end}`

describe('readArgon2idCost', () => {
  it.each([
    ['m=1024,t=1,p=1', { memoryKib: 1_024, passes: 1, parallelism: 1 }],
    ['m=262144,t=16,p=16', { memoryKib: 262_144, passes: 16, parallelism: 16 }],
    ['m=65536,t=3,p=4', { memoryKib: 65_536, passes: 3, parallelism: 4 }],
  ])('reads a hash with %s', (costs, cost) => {
    expect(readArgon2idCost(hashOf(costs))).toStrictEqual(cost)
  })

  it.each([
    'm=1023,t=1,p=1',
    'm=262145,t=1,p=1',
    'm=1024,t=0,p=1',
    'm=1024,t=17,p=1',
    'm=1024,t=1,p=0',
    'm=1024,t=1,p=17',
    'm=01024,t=1,p=1',
    'm=1024,t=01,p=1',
    'm=1024,t=1,p=01',
    'm=1024,p=1,t=1',
    'm=1024,t=2',
    'm=1e3,t=2,p=1',
    'm=99999999999,t=1,p=1',
    'm=1024,t=1,p=1,keyid=a',
  ])('returns undefined for a hash with %s', (costs) => {
    expect(readArgon2idCost(hashOf(costs))).toBeUndefined()
  })

  it.each([
    ['whose salt is one character too short', `${'A'.repeat(10)}$${tag}`],
    ['whose tag is one character too short', `${salt}$${'A'.repeat(21)}`],
    ['whose salt ends with unused bits', `${salt.slice(0, -1)}h$${tag}`],
    ['whose tag ends with unused bits', `${salt}$${tag.slice(0, -1)}J`],
    ['with other characters in the salt', `${salt.slice(0, -1)}-$${tag}`],
    ['with other characters in the tag', `${salt}$${tag.slice(0, -1)}_`],
    ['with padding', `${salt}==$${tag}`],
    ['with trailing characters', `${salt}$${tag}$`],
    ['with a trailing line break', `${salt}$${tag}\n`],
  ])('returns undefined for a hash %s', (_, end) => {
    expect(readArgon2idCost(hashOf('m=1024,t=1,p=1', end))).toBeUndefined()
  })

  it.each([
    hashOf('m=1024,t=1,p=1').replace('v=19', 'v=16'),
    hashOf('m=1024,t=1,p=1').replace('argon2id', 'argon2i'),
    `x${hashOf('m=1024,t=1,p=1')}`,
    '',
  ])('returns undefined for %j', (stored) => {
    expect(readArgon2idCost(stored)).toBeUndefined()
  })
})

describe('loadNativePackage', () => {
  it('resolves to the default export', async () => {
    expect(await loadNativePackage('example', async () => ({ default: 'library' }))).toBe('library')
  })

  it('rejects with an error that names the package, the fix and the first line of the problem', async () => {
    const load = async () => {
      throw new Error('No native build was found\n    loaded from: /bundle')
    }
    await expect(loadNativePackage('example', load)).rejects.toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: new TypeError(
        'jwt-auth: the package example cannot be loaded; install example, and if you bundle your application, declare example as ' +
          'external (https://github.com/jwt-auth/jwt-auth/blob/main/docs/bundlers-and-runtimes.md): Error: No native build was found',
      ),
    })
  })
})

import { inspect } from 'node:util'
import { findByCredentials } from '@jwt-auth/test-support'
import { callUntyped } from '@jwt-auth/test-support/call-untyped'
import { ann } from '@jwt-auth/test-support/test-directory'
import { describe, expect, it, vi } from 'vitest'
import {
  bcryptHasher,
  type HashingQueue,
  hashPassword,
  type PasswordHasher,
  passwordUsers,
  verifyPassword,
} from '../src/index.js'
import { phpassHasher } from '../src/legacy-hashers.js'

const { password, ...annAsUser } = ann
const cost = 4
const passwordHash = await hashPassword(password, { cost })

describe('the user name of a login', () => {
  it('is passed to findByUsername in its canonical form and as it was sent', async () => {
    const findByUsername = vi.fn(async () => undefined)
    const users = passwordUsers({ findByUsername, findById: async () => undefined, cost })
    const { signal } = new AbortController()
    await users.findByUsername(' Ann@Example.com', { signal })
    expect(findByUsername.mock.calls).toEqual([['ann@example.com', ' Ann@Example.com', { signal }]])
  })

  it.each([
    ['does not match another stored name', 'Änn', false],
    ['matches another spelling of the stored name', 'Ann', true],
    ['matches when findByUsername does not return the stored name', undefined, true],
  ])('%s', async (_, username, isFound) => {
    const find = async () => ({ ...annAsUser, username, passwordHash })
    const users = passwordUsers({ findByUsername: find, findById: find, cost })
    const user = await findByCredentials(users, 'ann', password)
    expect(user).toEqual(isFound ? { ...annAsUser, username } : undefined)
  })
})

describe('the derived credential version of a user without a password', () => {
  const versionOf = async (stored: object) => {
    const find = async () => ({ ...annAsUser, passwordHash: null, ...stored })
    return (await passwordUsers({ findByUsername: find, findById: find, cost }).findById(1))?.credentialVersion
  }
  const withoutVersion = { credentialVersion: undefined, username: 'ann', email: 'ann@example.com' }

  it.each([
    ['username', { username: 'eve' }],
    ['e-mail address', { email: 'eve@example.com' }],
    ['type of id', { id: String(ann.id) }],
  ])('differs for another %s', async (_, other) => {
    expect(await versionOf({ ...withoutVersion, ...other })).not.toBe(await versionOf(withoutVersion))
  })

  it('does not change with the display name', async () => {
    expect(await versionOf({ ...withoutVersion, displayName: 'Another' })).toBe(await versionOf(withoutVersion))
  })
})

/** Creates a hasher that prefixes hashes with its name, and counts its work. */
const createHasher = (name: string) => {
  const hasher: PasswordHasher = {
    hash: vi.fn(async (text: string) => `${name}:${text}`),
    verify: vi.fn(async (text: string, stored: string | undefined) =>
      stored === `${name}:${text}` ? 'match' : 'mismatch',
    ),
    needsRehash: (stored) => !stored.startsWith(`${name}:`),
  }
  return hasher
}

describe('a login on a table with several kinds of hashes', () => {
  it.each([
    ['a hash of the present kind', 'new:correct horse', true],
    ['a hash of a legacy kind', 'old:correct horse', true],
    ['a hash that no hasher reads', 'odd:correct horse', false],
    ['a hash of a legacy kind and another password', 'old:battery staple', false],
    ['no hash', null, false],
  ])('takes the work of one hash of every kind for a user with %s', async (_, hash, isRight) => {
    const [hasher, old] = [createHasher('new'), createHasher('old')]
    const find = async () => ({ ...annAsUser, passwordHash: hash })
    const users = passwordUsers({ findByUsername: find, findById: find, hasher, legacyHashers: [old] })
    expect(await findByCredentials(users, 'ann', password)).toEqual(isRight ? annAsUser : undefined)
    for (const { verify } of [hasher, old]) expect(verify).toHaveBeenCalledTimes(1)
    expect(await verifyPassword(password, hash, { hasher, legacyHashers: [old] })).toBe(isRight)
  })

  it('makes new hashes of the present kind', async () => {
    expect(await hashPassword('x', { hasher: createHasher('new'), legacyHashers: [createHasher('old')] })).toBe('new:x')
  })
})

describe('passwordUsers', () => {
  const find = async () => undefined

  it.each([
    [
      { hasher: {} },
      'option `hasher` lacks the method(s) hash, verify, needsRehash; pass an object with these methods.',
    ],
    [{ hasher: bcryptHasher(), cost: 12 }, 'option `cost` must be omitted when `hasher` is set; received 12.'],
    [
      { legacyHashers: bcryptHasher() },
      'option `legacyHashers` must be a list of password hashers; received an object.',
    ],
    [
      { legacyHashers: [bcryptHasher(), 1] },
      'option `legacyHashers[1]` lacks the method(s) verify; pass an object with these methods.',
    ],
    [
      { hasher: phpassHasher() },
      'option `hasher` lacks the method(s) hash, needsRehash; pass an object with these methods.',
    ],
    [{ queue: {} }, 'option `queue` lacks the method(s) run; pass an object with these methods.'],
    [{ rehash: true }, 'option `rehash` lacks the method(s) replaceHash; pass an object with these methods.'],
    [{ rehash: { replaceHash: find, onError: 1 } }, 'option `rehash.onError` must be a function; received 1.'],
  ])('names an invalid option (%#)', (options, message) => {
    expect(() => callUntyped(passwordUsers, { findByUsername: find, findById: find, ...options })).toThrow(
      `jwt-auth: ${message}\nSee https://`,
    )
  })

  it.each([['findByUsername'], ['findById']])('names the fix for a list of rows: %s', async (source) => {
    const users: ReturnType<typeof passwordUsers> = Reflect.apply(passwordUsers, undefined, [
      { findByUsername: async () => [{ id: 1 }], findById: async () => [] },
    ])
    const lookup = source === 'findById' ? users.findById(1) : users.findByUsername('ann')
    await expect(lookup).rejects.toMatchObject({
      cause: { message: `jwt-auth: ${source} returned an array; return one user, such as \`rows[0]\`.` },
    })
  })

  it('names an unknown option of bcryptHasher', () => {
    expect(() => callUntyped(bcryptHasher, { rounds: 12 })).toThrow(
      'jwt-auth: bcryptHasher has no option `rounds`; known options: cost.\nSee https://',
    )
  })
})

describe('the password hash', () => {
  const createUsers = () => {
    const find = async () => ({ ...annAsUser, passwordHash })
    return passwordUsers({ findByUsername: find, findById: find, cost })
  }

  it.each([
    ['name', async () => createUsers().findByUsername('ann')],
    ['id', async () => createUsers().findById(ann.id)],
  ])('is not part of the user that is found by %s', async (_, find) => {
    expect(inspect(await find(), { depth: null, showHidden: true })).not.toContain(passwordHash)
  })

  it('is known for a user who was found by id', async () => {
    const users = createUsers()
    expect(await users.verifyPassword(await users.findById(ann.id), password)).toBe(true)
    expect(await users.verifyPassword(await users.findById(ann.id), 'another')).toBe(false)
  })

  it('is unknown for a copy of a user, which fails with an error that explains it', async () => {
    const users = createUsers()
    const copy = { ...annAsUser, ...(await users.findById(ann.id)) }
    await expect(users.verifyPassword(copy, password)).rejects.toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: { message: expect.stringContaining('must pass on the object that a lookup returned, not a copy') },
    })
  })
})

describe('the priority of a login in the hashing queue', () => {
  it('is passed to the queue', async () => {
    const priorities: unknown[] = []
    const queue: HashingQueue = {
      run: (work, priority) => {
        priorities.push(priority)
        return work()
      },
    }
    const find = async () => ({ ...annAsUser, passwordHash })
    const users = passwordUsers({ findByUsername: find, findById: find, cost, queue })
    const priority = { isKnown: true, network: '192.0.2.1' }
    await users.verifyPassword(await users.findByUsername('ann'), password, { priority })
    expect(priorities).toEqual([priority])
  })
})

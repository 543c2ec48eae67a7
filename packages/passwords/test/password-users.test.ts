import { inspect } from 'node:util'
import { findByCredentials } from '@jwt-auth/test-support'
import { callUntyped, rejectionOf } from '@jwt-auth/test-support/outcome'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it, vi } from 'vitest'
import { bcryptHasher, hashPassword, type PasswordHasher, passwordUsers, type StoredUser } from '../src/index.js'
import { verifyPassword } from '../src/internal.js'
import { phpassHasher } from '../src/legacy-hashers.js'

const { password, ...annAsUser } = ann
const cost = 4
const passwordHash = await hashPassword(password, { cost })
const otherHash = await hashPassword(password, { cost })

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
    ['matches when the stored name is null', null, true],
  ])('%s', async (_, username, isFound) => {
    const find = async () => ({ ...annAsUser, username, passwordHash })
    const users = passwordUsers({ findByUsername: find, findById: find, cost })
    const user = await findByCredentials(users, 'ann', password)
    expect(user).toEqual(isFound ? { ...annAsUser, username } : undefined)
  })
})

describe('the credential version that passwordUsers derives', () => {
  const versionOf = async (stored: object) => {
    const find = async () => ({ ...annAsUser, credentialVersion: undefined, username: 'ann', passwordHash, ...stored })
    return (await passwordUsers({ findByUsername: find, findById: find, cost }).findById(1))?.credentialVersion
  }
  const noPassword = { passwordHash: null }

  it.each([
    ['another hash of the same password', {}, { passwordHash: otherHash }, true],
    ['no hash', {}, noPassword, true],
    ['another address of a user with a password', {}, { email: 'eve@example.com' }, false],
    ['another user name without a password', noPassword, { ...noPassword, username: 'eve' }, true],
    ['another address without a password', noPassword, { ...noPassword, email: 'eve@example.com' }, true],
    ['another type of id without a password', noPassword, { ...noPassword, id: String(ann.id) }, true],
    ['null as version', {}, { credentialVersion: null }, false],
    ['another display name without a password', noPassword, { ...noPassword, displayName: 'Another' }, false],
  ])('differs for %s: %s', async (_, before, after, differs) => {
    expect((await versionOf(before)) !== (await versionOf(after))).toBe(differs)
  })

  it('contains no part of the hash', async () => {
    const version = String(await versionOf({}))
    expect(version).toMatch(/^[A-Za-z0-9_-]{22}$/)
    expect(passwordHash).not.toContain(version)
  })

  it.each(['v7', 7, 0, ''])('is not derived if the application sets %j', async (credentialVersion) => {
    expect(await versionOf({ credentialVersion })).toBe(credentialVersion)
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
    [{ hasher: {} }, '`hasher` lacks the method(s) hash, verify, needsRehash; pass an object with these methods.'],
    [{ hasher: bcryptHasher(), cost: 12 }, '`cost` must be omitted when `hasher` is set; received 12.'],
    [{ legacyHashers: bcryptHasher() }, '`legacyHashers` must be a list of password hashers; received an object.'],
    [{ legacyHashers: [bcryptHasher(), 1] }, '`legacyHashers[1]` lacks the method(s) verify; pass an object'],
    [{ hasher: phpassHasher() }, '`hasher` lacks the method(s) hash, needsRehash; pass an object with these methods.'],
    [{ queue: {} }, '`queue` lacks the method(s) run; pass an object with these methods.'],
    [{ rehash: true }, '`rehash` lacks the method(s) replaceHash; pass an object with these methods.'],
  ])('names an invalid option (%#)', (options, message) => {
    const create = () => callUntyped(passwordUsers, { findByUsername: find, findById: find, ...options })
    expect(create).toThrow(`jwt-auth: option ${message}`)
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

describe('a user of passwordUsers', () => {
  it('is the same by name and by id, with all fields but the hash', async () => {
    const stored = { ...annAsUser, username: 'ann', link: 'https://example.com/ann', disabled: false }
    const find = async () => ({ ...stored, passwordHash })
    const users = passwordUsers({ findByUsername: find, findById: find, cost })
    expect(await users.findById(ann.id)).toEqual(stored)
    expect(await findByCredentials(users, 'ann', password)).toEqual(stored)
  })

  it('has the members of a model whose members are getters, and none of its state', async () => {
    const stored = { ...annAsUser, username: 'ann', passwordHash }
    // As the models of Sequelize and Mongoose.
    class Model {
      dataValues = stored
    }
    for (const [name, value] of Object.entries(stored))
      Object.defineProperty(Model.prototype, name, { get: () => value })
    const find = async (): Promise<StoredUser> => Object.assign(new Model())
    const users = passwordUsers({ findByUsername: find, findById: find, cost })
    const user = await findByCredentials(users, 'ann', password)
    expect(user).toEqual({ ...annAsUser, username: 'ann' })
    expect(inspect(user)).not.toContain(passwordHash)
  })

  it.each([undefined, null])('is undefined when findByUsername and findById resolve to %s', async (nobody) => {
    const find = async () => nobody
    const users = passwordUsers({ findByUsername: find, findById: find, cost })
    expect([await users.findByUsername('ann'), await users.findById(1)]).toEqual([undefined, undefined])
  })

  it('who has no hash only by id fails the first login with an error that names the function', async () => {
    const findByUsername = async () => ({ ...annAsUser, passwordHash })
    // Parsed from text, like the result of an application in JavaScript: TypeScript does not allow omitting the hash.
    const findById = async () => JSON.parse(JSON.stringify(annAsUser))
    const { service } = createTestService({ users: passwordUsers({ findByUsername, findById, cost }) })
    const error = await rejectionOf(service.login({ username: 'ann', password }))
    expect(error).toMatchObject({ code: 'jwt_auth_internal_error', message: 'Internal server error.' })
    expect(error).toHaveProperty('cause.message', expect.stringContaining('findById must return `passwordHash`'))
    await expect(service.sessions.list(1)).resolves.toEqual([])
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

import { findByCredentials } from '@jwt-auth/test-support'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { beforeAll, describe, expect, it } from 'vitest'
import { hashPassword, passwordUsers, type StoredUser } from '../src/index.js'

const cost = 4
let passwordHash = ''
let otherHash = ''

beforeAll(async () => {
  passwordHash = await hashPassword('correct horse', { cost })
  otherHash = await hashPassword('correct horse', { cost })
})

const createStore = (changes: Partial<StoredUser> = {}) => {
  let stored: StoredUser | null | undefined = {
    id: 1,
    email: 'ann@example.com',
    nicename: 'ann',
    displayName: 'Ann',
    passwordHash,
    ...changes,
  }
  const users = passwordUsers({
    findByUsername: async (username) => (username === 'ann' ? stored : undefined),
    findById: async (id) => (id === 1 ? stored : undefined),
    cost,
  })
  return {
    users,
    replace: (next: StoredUser | null | undefined) => {
      stored = next
    },
    current: () => stored,
  }
}

describe('passwordUsers', () => {
  it('returns the user for the right password, without the hash', async () => {
    const { users } = createStore()
    const user = await findByCredentials(users, 'ann', 'correct horse')
    expect(user).toEqual({
      id: 1,
      email: 'ann@example.com',
      nicename: 'ann',
      displayName: 'Ann',
      credentialVersion: expect.any(String),
    })
    expect(JSON.stringify(user)).not.toContain(passwordHash)
  })

  it('returns the user name, from which names for display are derived', async () => {
    const { users } = createStore({ username: 'ann', nicename: undefined, displayName: undefined })
    expect(await findByCredentials(users, 'ann', 'correct horse')).toMatchObject({ username: 'ann' })
    expect(await users.findById(1)).toMatchObject({ username: 'ann' })
  })

  it('returns the same user by id and by name', async () => {
    const { users } = createStore()
    expect(await users.findById(1)).toEqual(await findByCredentials(users, 'ann', 'correct horse'))
  })

  it.each([
    ['a wrong password', 'ann', 'battery staple', {}],
    ['an unknown name', 'eve', 'correct horse', {}],
    ['a disabled user', 'ann', 'correct horse', { disabled: true }],
    ['a user without a password', 'ann', 'correct horse', { passwordHash: null }],
    ['a user without a password, with an empty password', 'ann', '', { passwordHash: null }],
  ])('refuses %s', async (_, username, password, changes) => {
    const { users } = createStore(changes)
    expect(await findByCredentials(users, username, password)).toBeUndefined()
  })

  it.each([undefined, null])('returns undefined when findByUsername and findById resolve to %s', async (nobody) => {
    const { users, replace } = createStore()
    replace(nobody)
    expect(await findByCredentials(users, 'ann', 'correct horse')).toBeUndefined()
    expect(await users.findById(1)).toBeUndefined()
  })

  it('finds a user without a password by id', async () => {
    const { users } = createStore({ passwordHash: null })
    expect(await users.findById(1)).toMatchObject({ id: 1, nicename: 'ann' })
  })

  it('returns the other fields of a user', async () => {
    const { users } = createStore({ link: 'https://example.com/ann', disabled: false })
    expect(await users.findById(1)).toMatchObject({ link: 'https://example.com/ann', disabled: false })
  })
})

describe('the credential version that passwordUsers derives', () => {
  it('changes with the hash, even for the same password', async () => {
    const { users, replace, current } = createStore()
    const before = await users.findById(1)
    const stored = current()
    if (stored) replace({ ...stored, passwordHash: otherHash })
    const after = await users.findById(1)
    expect(after?.credentialVersion).not.toBe(before?.credentialVersion)
  })

  it('changes when the hash is removed', async () => {
    const { users, replace, current } = createStore()
    const before = await users.findById(1)
    const stored = current()
    if (stored) replace({ ...stored, passwordHash: null })
    expect((await users.findById(1))?.credentialVersion).not.toBe(before?.credentialVersion)
  })

  it('does not change with other fields', async () => {
    const { users, replace, current } = createStore()
    const before = await users.findById(1)
    const stored = current()
    if (stored) replace({ ...stored, email: 'ann@example.org' })
    expect((await users.findById(1))?.credentialVersion).toBe(before?.credentialVersion)
  })

  it('contains no part of the hash', async () => {
    const { users } = createStore()
    const version = String((await users.findById(1))?.credentialVersion)
    expect(version).toMatch(/^[A-Za-z0-9_-]{22}$/)
    expect(passwordHash).not.toContain(version)
  })

  it.each(['v7', 7, 0, ''])('is not derived if the application sets %j', async (credentialVersion) => {
    const { users } = createStore({ credentialVersion })
    expect((await users.findById(1))?.credentialVersion).toBe(credentialVersion)
    expect((await findByCredentials(users, 'ann', 'correct horse'))?.credentialVersion).toBe(credentialVersion)
  })
})

describe('passwordUsers with a findById that omits the hash', () => {
  const user = { id: 1, email: 'ann@example.com', nicename: 'ann', displayName: 'Ann' }

  const createForgetfulService = () =>
    createTestService({
      users: passwordUsers({
        findByUsername: async () => ({ ...user, passwordHash }),
        // Parsed from text, like the result of an application in JavaScript: TypeScript does not allow omitting the hash.
        findById: async () => JSON.parse(JSON.stringify(user)),
        cost,
      }),
    })

  it('fails the first login with an error that names the function, and opens no session', async () => {
    const { service } = createForgetfulService()
    const error = await rejectionOf(service.authenticate({ username: 'ann', password: 'correct horse' }))
    expect(error).toMatchObject({ code: 'jwt_auth_internal_error', message: 'Internal server error.' })
    expect(error).toHaveProperty('cause.message', expect.stringContaining('findById must return `passwordHash`'))
    expect(await service.sessions.list(1)).toEqual([])
  })
})

import { createHmac } from 'node:crypto'
import { findProven } from '@jwt-auth/test-support'
import bcrypt from 'bcrypt'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type AuthError,
  hashPassword,
  type PasswordHasher,
  passwordUsers,
  type RehashOptions,
  type StoredUser,
  verifyPassword,
} from '../../src/index.js'
import { nextTurn } from '../support/next-turn.js'
import { outcomeOf, rejectionOf } from '../support/outcome.js'
import { createTestService } from '../support/test-service.js'
import { createTestSystem } from '../support/test-system.js'

const cost = 5
const password = 'correct horse'

const hashAsWordPress = async (of: string): Promise<string> =>
  `$wp${(await bcrypt.hash(createHmac('sha384', 'wp-sha384').update(of.trim()).digest('base64'), 4)).replace('$2b$', '$2y$')}`

interface Changes {
  readonly user?: Partial<StoredUser>
  readonly rehash?: Partial<RehashOptions>
  /** Runs when the password was checked and the new hash made, before it is stored. */
  readonly afterAttempt?: (host: { readonly change: (next: Partial<StoredUser>) => void }) => void
}

/** A host with one user, whose hashes are replaced. */
const createHost = (passwordHash: string, { user, rehash, afterAttempt }: Changes = {}) => {
  let stored: StoredUser = {
    id: 1,
    email: 'ann@example.com',
    nicename: 'ann',
    displayName: 'Ann',
    credentialVersion: 1,
    passwordHash,
    ...user,
  }
  const change = (next: Partial<StoredUser>): void => {
    stored = { ...stored, ...next }
  }
  const errors: AuthError[] = []
  const system = createTestSystem()
  const find = async () => stored
  const users = passwordUsers({
    findByUsername: find,
    findById: find,
    cost,
    queue: {
      run: async (work) => {
        const result = await work()
        afterAttempt?.({ change })
        return result
      },
    },
    rehash: {
      replaceHash: async (_, expectedHash, newHash) => {
        if (stored.passwordHash !== expectedHash) return false
        change({ passwordHash: newHash })
        return true
      },
      onError: (error) => errors.push(error),
      system,
      ...rehash,
    },
  })
  return { users, errors, system, change, storedHash: () => stored.passwordHash }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a login with the right password', () => {
  it.each([
    ['$2b$', () => bcrypt.hash(password, cost)],
    ['$2b$ of a higher cost', () => bcrypt.hash(password, cost + 1)],
    ['$wp$2y$', () => hashAsWordPress(password)],
    ['ours of a lower cost', () => hashPassword(password, { cost: cost - 1 })],
  ])('replaces a hash of the form %s by one of the present kind', async (_, createHash) => {
    const hash = await createHash()
    const { users, storedHash, errors } = createHost(hash)
    expect(await findProven(users, 'ann', password)).toMatchObject({ id: 1, credentialVersion: 1 })
    expect(storedHash()).toMatch(/^\$jwtauth1\$2b\$05\$/)
    expect(await verifyPassword(password, storedHash(), { cost })).toBe(true)
    expect(await findProven(users, 'ann', password)).toMatchObject({ id: 1 })
    expect(errors).toEqual([])
  })

  it.each([
    ['current', cost],
    ['stronger than current', cost + 1],
  ])('leaves a hash that is %s', async (_, of) => {
    const hash = await hashPassword(password, { cost: of })
    const { users, storedHash } = createHost(hash)
    await findProven(users, 'ann', password)
    expect(storedHash()).toBe(hash)
  })

  it.each([
    ['beyond the 72 bytes that were checked', `${'x'.repeat(72)}y`, () => bcrypt.hash('x'.repeat(72), 4)],
    ['beyond the 72 bytes that were checked, by one of two', 'é'.repeat(37), () => bcrypt.hash('é'.repeat(36), 4)],
    ['around what was checked', ` ${password}`, () => hashAsWordPress(password)],
  ])(
    'leaves a hash when the password has something %s: a slip there must not become the password',
    async (_, typed, createHash) => {
      const hash = await createHash()
      const { users, storedHash } = createHost(hash)
      expect(await findProven(users, 'ann', typed)).toMatchObject({ id: 1 })
      expect(storedHash()).toBe(hash)
    },
  )

  it('replaces a hash of 72 bytes of password, which were all checked', async () => {
    const { users, storedHash } = createHost(await bcrypt.hash('x'.repeat(72), 4))
    await findProven(users, 'ann', 'x'.repeat(72))
    expect(await verifyPassword(`${'x'.repeat(72)}y`, storedHash(), { cost })).toBe(false)
  })

  it('undoes no password change that ran while the new hash was made', async () => {
    const changed = await hashPassword('battery staple', { cost })
    const { users, storedHash, errors } = createHost(await bcrypt.hash(password, 4), {
      afterAttempt: ({ change }) => change({ passwordHash: changed, credentialVersion: 2 }),
    })
    await findProven(users, 'ann', password)
    expect(storedHash()).toBe(changed)
    expect(errors).toEqual([])
  })

  it('opens a session that goes on, and so do those that were open', async () => {
    const host = createHost(await bcrypt.hash(password, 4))
    const { service } = createTestService({ users: host.users })
    const before = await service.sessions.create(1)
    const login = await service.authenticate({ username: 'ann', password })
    expect(host.storedHash()).toMatch(/^\$jwtauth1/)
    for (const { refreshToken } of [before, login]) expect(await outcomeOf(service.refresh(refreshToken))).toBe('ok')
  })

  it('fails where the password was changed while the new hash was made', async () => {
    const { users } = createHost(await bcrypt.hash(password, 4), {
      afterAttempt: ({ change }) => change({ credentialVersion: 2 }),
    })
    const { service } = createTestService({ users })
    expect(await outcomeOf(service.authenticate({ username: 'ann', password }))).toBe('jwt_auth_failed')
  })
})

describe('a login that does not let in', () => {
  it.each([
    ['a wrong password', 'battery staple', {}],
    ['a disabled user', password, { disabled: true }],
  ])('replaces no hash: %s', async (_, typed, user) => {
    const hash = await bcrypt.hash(password, 4)
    const { users, storedHash } = createHost(hash, { user })
    const makeHash = vi.spyOn(bcrypt, 'hash')
    expect(await findProven(users, 'ann', typed)).toBeUndefined()
    expect(storedHash()).toBe(hash)
    // Nor is one made: time would tell that the password of a disabled user is right.
    expect(makeHash).not.toHaveBeenCalled()
  })
})

describe('a hash that cannot be replaced', () => {
  const logIn = async (rehash: Partial<RehashOptions>) => {
    const host = createHost(await bcrypt.hash(password, 4), { rehash })
    return { ...host, login: findProven(host.users, 'ann', password) }
  }
  const failure = new Error('the table is read-only')
  const fail = () => {
    throw failure
  }

  it.each([
    ['rejects', async () => fail()],
    ['throws', fail],
  ])('does not fail the login, and is told: replaceHash %s', async (_, replaceHash) => {
    const { login, errors } = await logIn({ replaceHash })
    expect(await login).toMatchObject({ id: 1 })
    expect(errors).toMatchObject([{ code: 'jwt_auth_unavailable', cause: failure }])
  })

  it('holds the login up for a second at most', async () => {
    let isAsked = (): void => {}
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve
    })
    const { login, errors, system } = await logIn({
      replaceHash: () => {
        isAsked()
        return new Promise(() => {})
      },
    })
    await asked
    await nextTurn()
    expect(system.timers()).toEqual([1_000])
    system.fireTimers()
    expect(await login).toMatchObject({ id: 1 })
    expect(errors).toMatchObject([{ cause: { message: expect.stringContaining('the time to replace a hash') } }])
  })

  it('does not fail the login when the log fails too', async () => {
    const { login } = await logIn({ replaceHash: fail, onError: fail })
    expect(await login).toMatchObject({ id: 1 })
  })

  it('does not fail the login when the new one could not be made', async () => {
    const hasher: PasswordHasher = { hash: fail, verify: async () => 'match', needsRehash: () => true }
    const errors: AuthError[] = []
    const user = { id: 1, email: '', nicename: '', displayName: '', credentialVersion: 1, passwordHash: 'x' }
    const rehash = { replaceHash: async () => true, onError: (error: AuthError) => errors.push(error) }
    const users = passwordUsers({ findByUsername: async () => user, findById: async () => user, hasher, rehash })
    expect(await findProven(users, 'ann', password)).toMatchObject({ id: 1 })
    expect(errors).toMatchObject([{ cause: failure }])
  })
})

describe('a host that asks for it without a credential version of its own', () => {
  it('hears so by name, instead of every session of a user ending with their old hash', async () => {
    const { users, storedHash } = createHost(await hashPassword(password, { cost }), {
      user: { credentialVersion: undefined },
    })
    const hash = storedHash()
    expect(await rejectionOf(findProven(users, 'ann', password))).toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: { message: expect.stringContaining('rehash needs users with a `credentialVersion` of their own') },
    })
    expect(await findProven(users, 'ann', 'battery staple')).toBeUndefined()
    expect(storedHash()).toBe(hash)
  })
})

import { createHmac } from 'node:crypto'
import type { AuthError } from '@jwt-auth/core'
import { findByCredentials } from '@jwt-auth/test-support'
import { nextTurn } from '@jwt-auth/test-support/next-turn'
import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { createTestSystem } from '@jwt-auth/test-support/test-system'
import bcrypt from 'bcrypt'
import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  hashPassword,
  type PasswordHasher,
  passwordUsers,
  type RehashOptions,
  type StoredUser,
  verifyPassword,
} from '../src/index.js'

const cost = 5
const password = 'correct horse'

const hashAsWordPress = async (of: string): Promise<string> =>
  `$wp${(await bcrypt.hash(createHmac('sha384', 'wp-sha384').update(of.trim()).digest('base64'), 4)).replace('$2b$', '$2y$')}`

interface Changes {
  readonly user?: Partial<StoredUser>
  readonly rehash?: Partial<RehashOptions>
  /** Runs after the password was checked and the new hash made, before the hash is stored. */
  readonly afterAttempt?: (host: { readonly change: (next: Partial<StoredUser>) => void }) => void
}

/** An application with one user, whose hash is replaced. */
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

describe('a login with the option rehash and the right password', () => {
  it.each([
    ['$2b$', () => bcrypt.hash(password, cost)],
    ['$2b$ of a higher cost', () => bcrypt.hash(password, cost + 1)],
    ['$wp$2y$', () => hashAsWordPress(password)],
    ['$jwtauth1$2b$ of a lower cost', () => hashPassword(password, { cost: cost - 1 })],
  ])('replaces a hash of the form %s by a hash of the present kind', async (_, createHash) => {
    const hash = await createHash()
    const { users, storedHash, errors } = createHost(hash)
    expect(await findByCredentials(users, 'ann', password)).toMatchObject({ id: 1, credentialVersion: 1 })
    expect(storedHash()).toMatch(/^\$jwtauth1\$2b\$05\$/)
    expect(await verifyPassword(password, storedHash(), { cost })).toBe(true)
    expect(await findByCredentials(users, 'ann', password)).toMatchObject({ id: 1 })
    expect(errors).toEqual([])
  })

  it.each([
    ['of the present cost', cost],
    ['of a higher cost', cost + 1],
  ])('keeps a hash that is %s', async (_, of) => {
    const hash = await hashPassword(password, { cost: of })
    const { users, storedHash } = createHost(hash)
    await findByCredentials(users, 'ann', password)
    expect(storedHash()).toBe(hash)
  })

  it.each([
    ['after the 72 bytes that were checked', `${'x'.repeat(72)}y`, () => bcrypt.hash('x'.repeat(72), 4)],
    ['after 37 characters of two bytes', 'é'.repeat(37), () => bcrypt.hash('é'.repeat(36), 4)],
    ['that was trimmed', ` ${password}`, () => hashAsWordPress(password)],
  ])('keeps a hash when the password has a part %s', async (_, typed, createHash) => {
    const hash = await createHash()
    const { users, storedHash } = createHost(hash)
    expect(await findByCredentials(users, 'ann', typed)).toMatchObject({ id: 1 })
    expect(storedHash()).toBe(hash)
  })

  it('replaces a hash of 72 bytes of password', async () => {
    const { users, storedHash } = createHost(await bcrypt.hash('x'.repeat(72), 4))
    await findByCredentials(users, 'ann', 'x'.repeat(72))
    expect(await verifyPassword(`${'x'.repeat(72)}y`, storedHash(), { cost })).toBe(false)
  })

  it('does not overwrite a password change that ran while the new hash was made', async () => {
    const changed = await hashPassword('battery staple', { cost })
    const { users, storedHash, errors } = createHost(await bcrypt.hash(password, 4), {
      afterAttempt: ({ change }) => change({ passwordHash: changed, credentialVersion: 2 }),
    })
    await findByCredentials(users, 'ann', password)
    expect(storedHash()).toBe(changed)
    expect(errors).toEqual([])
  })

  it('ends no session', async () => {
    const host = createHost(await bcrypt.hash(password, 4))
    const { service } = createTestService({ users: host.users })
    const before = await service.sessions.create(1)
    const login = await service.authenticate({ username: 'ann', password })
    expect(host.storedHash()).toMatch(/^\$jwtauth1/)
    for (const { refreshToken } of [before, login]) expect(await outcomeOf(service.refresh(refreshToken))).toBe('ok')
  })

  it('fails when the password was changed while the new hash was made', async () => {
    const { users } = createHost(await bcrypt.hash(password, 4), {
      afterAttempt: ({ change }) => change({ credentialVersion: 2 }),
    })
    const { service } = createTestService({ users })
    expect(await outcomeOf(service.authenticate({ username: 'ann', password }))).toBe('jwt_auth_failed')
  })
})

describe('a login with the option rehash that fails', () => {
  it.each([
    ['a wrong password', 'battery staple', {}],
    ['a disabled user', password, { disabled: true }],
  ])('makes and replaces no hash: %s', async (_, typed, user) => {
    const hash = await bcrypt.hash(password, 4)
    const { users, storedHash } = createHost(hash, { user })
    const makeHash = vi.spyOn(bcrypt, 'hash')
    expect(await findByCredentials(users, 'ann', typed)).toBeUndefined()
    expect(storedHash()).toBe(hash)
    // Otherwise the time would tell that the password of a disabled user is right.
    expect(makeHash).not.toHaveBeenCalled()
  })
})

describe('a login whose hash cannot be replaced', () => {
  const logIn = async (rehash: Partial<RehashOptions>) => {
    const host = createHost(await bcrypt.hash(password, 4), { rehash })
    return { ...host, login: findByCredentials(host.users, 'ann', password) }
  }
  const failure = new Error('the table is read-only')
  const fail = () => {
    throw failure
  }

  it.each([
    ['rejects', async () => fail()],
    ['throws', fail],
  ])('succeeds and reports the failure when replaceHash %s', async (_, replaceHash) => {
    const { login, errors } = await logIn({ replaceHash })
    expect(await login).toMatchObject({ id: 1 })
    expect(errors).toMatchObject([{ code: 'jwt_auth_unavailable', cause: failure }])
  })

  it('waits for replaceHash for at most a second', async () => {
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

  it('succeeds when onError fails too', async () => {
    const { login } = await logIn({ replaceHash: fail, onError: fail })
    expect(await login).toMatchObject({ id: 1 })
  })

  it('succeeds when the new hash cannot be made', async () => {
    const hasher: PasswordHasher = { hash: fail, verify: async () => 'match', needsRehash: () => true }
    const errors: AuthError[] = []
    const user = { id: 1, email: '', nicename: '', displayName: '', credentialVersion: 1, passwordHash: 'x' }
    const rehash = { replaceHash: async () => true, onError: (error: AuthError) => errors.push(error) }
    const users = passwordUsers({ findByUsername: async () => user, findById: async () => user, hasher, rehash })
    expect(await findByCredentials(users, 'ann', password)).toMatchObject({ id: 1 })
    expect(errors).toMatchObject([{ cause: failure }])
  })
})

describe('a login with the option rehash of a user without a credentialVersion', () => {
  it('fails with an error that names the option', async () => {
    const { users, storedHash } = createHost(await hashPassword(password, { cost }), {
      user: { credentialVersion: undefined },
    })
    const hash = storedHash()
    expect(await rejectionOf(findByCredentials(users, 'ann', password))).toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: { message: expect.stringContaining('rehash needs users with a `credentialVersion`, such as') },
    })
    expect(await findByCredentials(users, 'ann', 'battery staple')).toBeUndefined()
    expect(storedHash()).toBe(hash)
  })
})

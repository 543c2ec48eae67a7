import { createHmac } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { findByCredentials } from '@jwt-auth/test-support'
import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { createTestService } from '@jwt-auth/test-support/test-service'
import bcrypt from 'bcrypt'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { bcryptHasher, hashPassword, type PasswordHasher, passwordUsers, type StoredUser } from '../src/index.js'
import { type HashingOptions, type RehashOptions, verifyPassword } from '../src/internal.js'
import { createRehash } from '../src/rehash.js'

const cost = 5
const password = 'correct horse'

const hashAsWordPress = async (of: string): Promise<string> =>
  `$wp${(await bcrypt.hash(createHmac('sha384', 'wp-sha384').update(of.trim()).digest('base64'), 4)).replace('$2b$', '$2y$')}`

interface Changes {
  readonly user?: Partial<StoredUser>
  readonly rehash?: Partial<RehashOptions>
  readonly hashing?: HashingOptions
  /** Runs after the password was checked and the new hash made, before the hash is stored. */
  readonly afterAttempt?: (host: { readonly change: (next: Partial<StoredUser>) => void }) => void
}

/** An application with one user, whose hash is replaced. */
const createHost = (passwordHash: string, { user, rehash, hashing = { cost }, afterAttempt }: Changes = {}) => {
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
  const failures: unknown[] = []
  const find = async () => stored
  const users = passwordUsers({
    findByUsername: find,
    findById: find,
    ...hashing,
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
      ...rehash,
    },
  })
  const reportFault = (message: string, cause: unknown): void => void failures.push([message, cause])
  const logIn = (typed = password) => findByCredentials(users, 'ann', typed, { reportFault })
  return { users, logIn, failures, storedHash: () => stored.passwordHash }
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
    const { logIn, storedHash, failures } = createHost(hash)
    expect(await logIn()).toMatchObject({ id: 1, credentialVersion: 1 })
    expect(storedHash()).toMatch(/^\$jwtauth1\$2b\$05\$/)
    expect(await verifyPassword(password, storedHash(), { cost })).toBe(true)
    expect(await logIn()).toMatchObject({ id: 1 })
    expect(failures).toEqual([])
  })

  it('calls replaceHash as a method', async () => {
    const rows = new Map<unknown, string>()
    const rehash = {
      rows,
      replaceHash(this: { readonly rows: typeof rows }, id: unknown, _: string, newHash: string) {
        this.rows.set(id, newHash)
        return Promise.resolve(true)
      },
    }
    const { logIn, failures } = createHost(await bcrypt.hash(password, 4), { rehash })
    await logIn()
    expect([rows.size, failures]).toEqual([1, []])
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
    const { logIn, storedHash, failures } = createHost(await bcrypt.hash(password, 4), {
      afterAttempt: ({ change }) => change({ passwordHash: changed, credentialVersion: 2 }),
    })
    await logIn()
    expect(storedHash()).toBe(changed)
    expect(failures).toEqual([])
  })

  it('ends no session', async () => {
    const host = createHost(await bcrypt.hash(password, 4))
    const { service } = createTestService({ users: host.users })
    const before = await service.sessions.create(1)
    const login = await service.login({ username: 'ann', password })
    expect(host.storedHash()).toMatch(/^\$jwtauth1/)
    for (const { refreshToken } of [before, login]) expect(await outcomeOf(service.refresh(refreshToken))).toBe('ok')
  })

  it('fails when the password was changed while the new hash was made', async () => {
    const { users } = createHost(await bcrypt.hash(password, 4), {
      afterAttempt: ({ change }) => change({ credentialVersion: 2 }),
    })
    const { service } = createTestService({ users })
    expect(await outcomeOf(service.login({ username: 'ann', password }))).toBe('jwt_auth_failed')
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
  const failure = new Error('the table is read-only')
  const fail = () => {
    throw failure
  }
  const reported = [['a password hash was not replaced', failure]]

  it.each([
    ['rejects', async () => fail()],
    ['throws', fail],
  ])('succeeds and reports the failure when replaceHash %s', async (_, replaceHash) => {
    const { logIn, failures } = createHost(await bcrypt.hash(password, 4), { rehash: { replaceHash } })
    expect(await logIn()).toMatchObject({ id: 1 })
    expect(failures).toEqual(reported)
  })

  it('succeeds and reports the failure when the new hash cannot be made', async () => {
    const hasher: PasswordHasher = { hash: fail, verify: async () => 'match', needsRehash: () => true }
    const { logIn, failures } = createHost('x', { hashing: { hasher } })
    expect(await logIn()).toMatchObject({ id: 1 })
    expect(failures).toEqual(reported)
  })

  it('succeeds without a reporter', async () => {
    const { users } = createHost(await bcrypt.hash(password, 4), { rehash: { replaceHash: fail } })
    expect(await findByCredentials(users, 'ann', password)).toMatchObject({ id: 1 })
  })

  it('calls onError of the service each time', async () => {
    const { users } = createHost(await bcrypt.hash(password, 4), { rehash: { replaceHash: fail } })
    const { service, errors } = createTestService({ users })
    for (let login = 0; login < 2; login += 1) await service.login({ username: 'ann', password })
    const error = { code: 'jwt_auth_unavailable', detail: 'a password hash was not replaced', cause: failure }
    expect(errors).toMatchObject([error, error])
  })

  it('waits for replaceHash for at most a second', async () => {
    const system = createTestSystem()
    const { storeHash } = createRehash({ replaceHash: () => new Promise(() => {}) }, bcryptHasher(), system)
    const failures: unknown[] = []
    const storing = storeHash({ id: 1, email: '', passwordHash: 'x' }, 'y', (_, cause) => failures.push(cause))
    await nextTurn()
    expect(system.timers()).toEqual([1_000])
    system.fireTimers()
    await storing
    expect(failures).toMatchObject([{ message: expect.stringContaining('the time to replace a hash') }])
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

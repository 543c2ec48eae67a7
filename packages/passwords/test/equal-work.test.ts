import { createHmac } from 'node:crypto'
import { findByCredentials } from '@jwt-auth/test-support'
import { ann } from '@jwt-auth/test-support/test-directory'
import bcrypt from 'bcrypt'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type HashingQueue, hashPassword, passwordUsers } from '../src/index.js'

const cost = 7
const workOfCost = (of: number): number => 2 ** of

const watchBcrypt = () => vi.spyOn(bcrypt, 'compare')
let compare: ReturnType<typeof watchBcrypt>

beforeEach(() => {
  compare = watchBcrypt()
})

afterEach(() => {
  vi.restoreAllMocks()
})

/** Returns the rounds of all comparisons so far. */
const workDone = (): number =>
  compare.mock.calls.reduce((sum, [, hash]) => sum + workOfCost(bcrypt.getRounds(String(hash))), 0)

const hashOf = (password: string, of = cost) => hashPassword(password, { cost: of })

const directoryWith = (account: object | undefined, queue?: HashingQueue) => {
  const find = async () => account && { ...ann, passwordHash: null, ...account }
  return passwordUsers({ findByUsername: find, findById: find, cost, queue })
}

const hashAsWordPress = async (password: string): Promise<string> => {
  const digest = createHmac('sha384', 'wp-sha384').update(password).digest('base64')
  return `$wp${(await bcrypt.hash(digest, 5)).replace('$2b$', '$2y$')}`
}

const accounts: readonly (readonly [kind: string, create: () => Promise<object | undefined>])[] = [
  ['an unknown user', async () => undefined],
  ['a user without a password', async () => ({ passwordHash: null })],
  ['a user with an empty hash', async () => ({ passwordHash: '' })],
  ['a user with a hash of another algorithm', async () => ({ passwordHash: '$argon2id$v=19$m=65536' })],
  ['a hash of a cost above 15', async () => ({ passwordHash: `$2b$16$${'.'.repeat(53)}` })],
  [
    'a hash of a user with another name',
    async () => ({ passwordHash: await hashOf('correct horse'), username: 'eve' }),
  ],
  ['a truncated hash', async () => ({ passwordHash: (await bcrypt.hash('x', cost)).slice(0, 50) })],
  ['a wrong password', async () => ({ passwordHash: await hashOf('another') })],
  ['the right password', async () => ({ passwordHash: await hashOf('correct horse') })],
  ['a disabled user', async () => ({ disabled: true, passwordHash: await hashOf('correct horse') })],
  ['the right password at a lower cost', async () => ({ passwordHash: await bcrypt.hash('correct horse', 4) })],
  ['a wrong password at a lower cost', async () => ({ passwordHash: await bcrypt.hash('another', 4) })],
  ['a wrong password one cost lower', async () => ({ passwordHash: await bcrypt.hash('another', 6) })],
  [
    'a wrong password at a lower cost, as WordPress stores it',
    async () => ({ passwordHash: `$wp${(await bcrypt.hash('another', 5)).replace('$2b$', '$2y$')}` }),
  ],
]

describe('a login attempt', () => {
  it.each(accounts)('takes the work of one bcrypt of the configured cost for %s', async (_, createAccount) => {
    const users = directoryWith(await createAccount())
    await findByCredentials(users, 'ann', 'correct horse', { reportFault: () => {} })
    expect(workDone()).toBe(workOfCost(cost))
  })

  it.each([
    ...accounts,
    ['a quoted password', async () => ({ passwordHash: await hashOf("it's") })],
    ['a quoted password of WordPress', async () => ({ passwordHash: await hashAsWordPress("it's") })],
    ['a quoted password of a page of WordPress', async () => ({ passwordHash: await hashAsWordPress("it\\'s") })],
  ] as const)('with a quote in the password takes the work of two bcrypts for %s', async (_, createAccount) => {
    const users = directoryWith(await createAccount())
    await findByCredentials(users, 'ann', "it's", { reportFault: () => {} })
    expect(workDone()).toBe(2 * workOfCost(cost))
  })

  it.each(['ann\0', '\u0430nn', '', 'x'.repeat(4_096), '\ud800'])(
    'takes the same work for a name without a canonical form, and looks up no user (%#)',
    async (name) => {
      const find = vi.fn(async () => undefined)
      const users = passwordUsers({ findByUsername: find, findById: find, cost })
      expect(await findByCredentials(users, name, 'correct horse')).toBeUndefined()
      expect(find).not.toHaveBeenCalled()
      expect(workDone()).toBe(workOfCost(cost))
    },
  )

  it.each([
    ['an unknown user', async () => undefined],
    ['a hash of a lower cost', async () => ({ passwordHash: await bcrypt.hash('correct horse', 4) })],
  ])('takes one place in the queue for %s', async (_, createAccount) => {
    const account = await createAccount()
    const entered = vi.fn()
    const queue: HashingQueue = {
      run: (work) => {
        entered()
        return work()
      },
    }
    await findByCredentials(directoryWith(account, queue), 'ann', 'correct horse')
    expect(entered).toHaveBeenCalledTimes(1)
  })

  it('takes the work of the stored hash if its cost is higher', async () => {
    const users = directoryWith({ passwordHash: await hashOf('another', cost + 1) })
    await findByCredentials(users, 'ann', 'correct horse')
    expect(workDone()).toBe(workOfCost(cost + 1))
  })

  it.each([
    ['an unknown user', async () => undefined],
    ['a hash of a lower cost', async () => ({ passwordHash: await bcrypt.hash('another', 4) })],
  ])('passes only hashes to bcrypt that take the full work, for %s', async (_, createAccount) => {
    await findByCredentials(directoryWith(await createAccount()), 'ann', 'correct horse')
    expect(compare).toHaveBeenCalled()
    for (const [, hash] of compare.mock.calls) {
      expect(String(hash)).toMatch(/^\$2b\$\d\d\$[./A-Za-z0-9]{53}$/)
      // bcrypt returns immediately, without work, for a salt that it cannot decode. It refuses to hash with such a salt.
      expect(await bcrypt.hash('x', String(hash).slice(0, 29))).toHaveLength(60)
    }
  })

  it.each(['correct horse', '', 'x'.repeat(4_096), 'a\0b', 'jwtauthdummy'])(
    'never succeeds with the hash that replaces a missing one (%#)',
    async (password) => {
      expect(await findByCredentials(directoryWith(undefined), 'nobody', password)).toBeUndefined()
      expect(await findByCredentials(directoryWith({ passwordHash: null }), 'ann', password)).toBeUndefined()
    },
  )
})

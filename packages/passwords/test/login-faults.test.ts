import { inspect } from 'node:util'
import { AuthError, type UserDirectory } from '@jwt-auth/core'
import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import bcrypt from 'bcrypt'
import { describe, expect, it } from 'vitest'
import { hashPassword, passwordUsers, type StoredUser } from '../src/index.js'

const { password, ...annAsUser } = ann
const cost = 4
const passwordHash = await hashPassword(password, { cost })
const otherHash = await hashPassword('another', { cost })
const foreignHash = await bcrypt.hash('another', cost)
const credentials = { username: 'ann', password }

/** A lookup of Ann with these changes. */
const annWith =
  (changes: Partial<StoredUser> = {}) =>
  async (): Promise<StoredUser> => ({ ...annAsUser, passwordHash, ...changes })

const findAnn = annWith()
const plain = annWith({ passwordHash: 'a plain secret' })

const directoryOf = (find: () => Promise<StoredUser | undefined>) =>
  passwordUsers({ findByUsername: find, findById: find, cost })
/** Logs Ann in several times, and resolves to the errors of the client and of `onError`. */
const logInRepeatedly = async (users: UserDirectory) => {
  const { service, errors } = createTestService({ users })
  const failures = []
  for (let count = 0; count < 3; count += 1) failures.push(await rejectionOf(service.login(credentials)))
  return { failures, errors, causes: errors.map(({ cause }) => String(cause)) }
}

const refused = Array.from({ length: 3 }, () => new AuthError('jwt_auth_failed'))

describe('a mistake in the application that fails a login with the right password', () => {
  it.each<[string, UserDirectory, RegExp]>([
    [
      'a stored hash of an unknown kind',
      directoryOf(plain),
      /the stored password hash is plain text.*await hashPassword\(password\)/,
    ],
    [
      'a findById that finds nobody',
      passwordUsers({ findByUsername: findAnn, findById: async () => undefined, cost }),
      /`users\.findById` found no user.*Make both read the same users.*Ignore this report if other logins succeed/,
    ],
    [
      'a findById that expects the id as text',
      passwordUsers({ findByUsername: findAnn, findById: async (id) => (id === '1' ? findAnn() : undefined), cost }),
      /found no user for an id of the type number.*use one type for ids: 1 and '1' are different ids/,
    ],
    [
      'a findByUsername that returns the id as text',
      passwordUsers<StoredUser>({
        findByUsername: annWith({ id: '1' }),
        findById: async (id) => (id === 1 ? findAnn() : undefined),
        cost,
      }),
      /found no user for an id of the type string.*use one type for ids: 1 and '1' are different ids/,
    ],
    [
      'a findById that returns the id as text',
      { ...createTestDirectory(), findById: async () => ({ ...annAsUser, id: '1' }) },
      /^(Type)?Error: jwt-auth: users\.findById was called with a number, but returned a user whose `id` is a string\. Use/,
    ],
    [
      'a findById with another credential version',
      { ...createTestDirectory(), findById: async () => ({ ...annAsUser, credentialVersion: 'v2' }) },
      /returned a different `credentialVersion`.*Make both return the same columns.*Ignore this report if other/,
    ],
  ])('is reported once, and the client receives the response to a wrong password: %s', async (_, users, message) => {
    const { failures, errors, causes } = await logInRepeatedly(users)
    expect(failures).toEqual(refused)
    expect(errors.map(({ code }) => code)).toEqual(['jwt_auth_misconfigured'])
    expect(causes[0]).toMatch(message)
  })

  it('is reported once for each scheme of an unknown hash, so that one does not hide the next', async () => {
    const hashes = ['', 'plain', '$P$B', '$H$9', '$P$C', 'plainer']
    const find = async () => ({ ...annAsUser, passwordHash: hashes.shift() ?? '' })
    const { service, errors } = createTestService({ users: directoryOf(find) })
    while (hashes.length > 0) await rejectionOf(service.login(credentials))
    expect(errors.map(({ cause }) => /hash is (\S+)/.exec(String(cause))?.[1])).toEqual(['plain', '`$P$…`,', '`$H$…`,'])
  })

  it('is reported to each service of a process', async () => {
    const users = directoryOf(plain)
    expect((await logInRepeatedly(users)).errors).toHaveLength(1)
    expect((await logInRepeatedly(users)).errors).toHaveLength(1)
  })

  it('is reported without a hash, the password or the name', async () => {
    const shown = inspect((await logInRepeatedly(directoryOf(plain))).errors, { depth: null })
    for (const secret of [password, 'a plain secret', "'ann'"]) expect(shown).not.toContain(secret)
  })
})

describe('a login after a change of the password hash', () => {
  it.each([
    ['is reported once if the version stays the same', otherHash, 'v1', 'v1', 1],
    ['is not reported with another version', otherHash, 'v1', 'v2', 0],
    ['is not reported with a version that is derived from the hash', otherHash, undefined, undefined, 0],
    ['is not reported with the same hash', passwordHash, 'v1', 'v1', 0],
    ['is not reported if the former hash was of another kind', foreignHash, 'v1', 'v1', 0],
  ])('%s', async (_, formerHash, before, after, count) => {
    let stored: Partial<StoredUser> = { passwordHash: formerHash, credentialVersion: before }
    const { service, errors } = createTestService({ users: directoryOf(() => annWith(stored)()) })
    const typed = formerHash === passwordHash ? password : 'another'
    await service.login({ username: 'ann', password: typed })
    stored = { credentialVersion: after }
    for (const _ of [1, 2]) await service.login(credentials)
    expect(errors.map(({ cause }) => String(cause))).toEqual(
      Array(count).fill(expect.stringContaining('the same `credentialVersion` as before')),
    )
  })
})

it('a refresh after a change of the password hash is reported if the version stays the same', async () => {
  let stored: Partial<StoredUser> = { credentialVersion: 'v1' }
  const { service, errors } = createTestService({ users: directoryOf(() => annWith(stored)()) })
  const { refreshToken } = await service.login(credentials)
  stored = { ...stored, passwordHash: otherHash }
  await service.refresh(refreshToken)
  expect(errors.map(({ cause }) => String(cause))).toEqual([
    expect.stringContaining('the same `credentialVersion` as before'),
  ])
})

describe('a login that fails for a reason of the user', () => {
  it.each<[string, UserDirectory]>([
    ['an unknown user', directoryOf(async () => undefined)],
    ['a wrong password', directoryOf(annWith({ passwordHash: otherHash }))],
    ['a user without a password', directoryOf(annWith({ passwordHash: null }))],
    ['a disabled user', directoryOf(annWith({ disabled: true }))],
    ['a user who is disabled during the login', { ...createTestDirectory(), findById: annWith({ disabled: true }) }],
  ])('reports nothing: %s', async (_, users) => {
    const { failures, errors } = await logInRepeatedly(users)
    expect(failures).toEqual(refused)
    expect(errors).toEqual([])
  })
})

describe('sessions.create for a user who is deleted during the call', () => {
  it('reports nothing, because one function finds the user both times', async () => {
    const found = [annAsUser]
    const { service, errors } = createTestService({
      users: { ...createTestDirectory(), findById: async () => found.pop() },
    })
    expect(await rejectionOf(service.sessions.create(1))).toMatchObject({
      code: 'jwt_auth_failed',
      detail: 'sessions.create opened no session: the user changed during the call',
    })
    expect(errors).toEqual([])
  })
})

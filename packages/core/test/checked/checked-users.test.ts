import { rejectionOf } from '@jwt-auth/test-support/outcome'
import { describe, expect, it } from 'vitest'
import { createCheckedUsers } from '../../src/checked/checked-users.js'
import { AuthError } from '../../src/errors/auth-error.js'
import type { UserDirectory } from '../../src/ports/user-directory.js'
import { isUserId } from '../../src/user-id.js'

const user = { id: 1, email: 'ann@example.com', nicename: 'ann', displayName: 'Ann' }

/** A directory whose methods all return the same value of any type. */
const directoryThat = (respond: () => unknown, reportFault?: (message: string) => void): UserDirectory =>
  createCheckedUsers(
    new Proxy(
      { findByUsername: async () => undefined, findById: async () => undefined, verifyPassword: async () => false },
      { get: () => async () => respond() },
    ),
    (call) => call(new AbortController()),
    reportFault,
  )

/** Resolves to the cause of the `jwt_auth_internal_error` with which a lookup rejects. */
const causeOf = async (lookup: Promise<unknown>): Promise<unknown> => {
  const error = await rejectionOf(lookup)
  expect(error).toMatchObject({ code: 'jwt_auth_internal_error', cause: expect.any(TypeError) })
  return Object(error).cause
}

const methods = [
  ['findByUsername', (users: UserDirectory) => users.findByUsername('ann')],
  ['findById', (users: UserDirectory) => users.findById(1)],
] as const

describe.each(methods)('the result of users.%s', (method, ask) => {
  it.each([undefined, null, 0, 7, '', 'v1', 'x'.repeat(255)])(
    'may have a credential version that is %j',
    async (version) => {
      const versioned = { ...user, credentialVersion: version }
      expect(await ask(directoryThat(() => versioned))).toBe(versioned)
    },
  )

  it('may have null in every optional member', async () => {
    const names = ['username', 'nicename', 'displayName', 'link', 'disabled', 'credentialVersion']
    const sparse = { id: 1, email: '', ...Object.fromEntries(names.map((name) => [name, null])) }
    expect(await ask(directoryThat(() => sparse))).toBe(sparse)
  })

  it.each([undefined, null])('is nobody when it is %s', async (nobody) => {
    expect(await ask(directoryThat(() => nobody))).toBeUndefined()
  })

  it.each<[unknown, string]>([
    ...[true, 1, false, 0].map((value): [unknown, string] => [value, `${value}; return a user, or undefined`]),
    ['ann', 'a string; return a user, or undefined if there is none.'],
    ['', 'an empty string; return a user, or undefined if there is none.'],
    [[user], 'an array; return one user, such as `rows[0]`.'],
    [{ rows: [user] }, 'the result of a query; return one user, such as `result.rows[0]`.'],
  ])('is refused when it is not a user: %j', async (result, message) => {
    const error = await causeOf(ask(directoryThat(() => result)))
    expect(error).toHaveProperty('message', expect.stringContaining(`jwt-auth: users.${method} returned ${message}`))
  })

  it.each<[object, string]>([
    [{ id: 1n }, '`id` is a bigint; return a whole number, or 1 to 255 characters of text'],
    [{ id: undefined, _id: 7n }, '`id` is missing; return a whole number, or 1 to 255 characters of text'],
    [{ id: { toString: () => '1' } }, '`id` is an object'],
    [{ email: undefined }, '`email` is missing'],
    [{ email: null }, "`email` is null; return text, or '' for a user without an address."],
    [{ nicename: 7 }, '`nicename` is 7'],
    [{ displayName: false }, '`displayName` is false'],
    [{ username: 7 }, '`username` is 7'],
    [{ link: { a: 1 } }, '`link` is an object; return text, null or undefined.'],
    [{ disabled: 'false' }, '`disabled` is a string; return true or false.'],
    ...['', 2, new Date(0)].map((disabled): [object, string] => [{ disabled }, '`disabled` is ']),
    [{ credentialVersion: new Date(0) }, '`credentialVersion` is an object; return a number, text of at most'],
    ...['x'.repeat(256), true].map((version): [object, string] => [
      { credentialVersion: version },
      '`credentialVersion` is ',
    ]),
  ])('is refused with the invalid field, its kind and the fix (%#)', async (changes, message) => {
    const error = await causeOf(ask(directoryThat(() => ({ ...user, ...changes }))))
    expect(error).toHaveProperty('message', expect.stringContaining(`users.${method} returned a user whose ${message}`))
  })

  it('is jwt_auth_unavailable with the cause when the directory rejects', async () => {
    const cause = new Error('LDAP is down')
    const failing = directoryThat(() => {
      throw cause
    })
    expect(await rejectionOf(ask(failing))).toMatchObject({
      code: 'jwt_auth_unavailable',
      detail: 'the user directory failed',
      cause,
    })
  })

  it('is the AuthError with which the directory rejects', async () => {
    const limited = new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 7 })
    const limiting = directoryThat(() => {
      throw limited
    })
    expect(await rejectionOf(ask(limiting))).toBe(limited)
  })
})

describe('users.verifyPassword', () => {
  it.each([
    [true, user, true],
    [false, user, false],
    [true, { ...user, disabled: true }, false],
    [true, undefined, false],
  ])('that resolves to %j for %j is %j', async (isRight, subject, outcome) => {
    expect(await directoryThat(() => isRight).verifyPassword(subject, 'correct horse')).toBe(outcome)
  })

  it.each([
    [{ ...user, active: false }, 1],
    [{ ...user, is_active: 0 }, 1],
    [{ ...user, active: true }, 0],
    [{ ...user, active: false, disabled: false }, 0],
  ])('that accepts the password of %j makes %i report about the member `disabled`', async (subject, count) => {
    const faults: string[] = []
    const users = directoryThat(
      () => true,
      (message) => faults.push(message),
    )
    expect(await users.verifyPassword(subject, 'correct horse')).toBe(true)
    expect(faults).toEqual(Array(count).fill(expect.stringContaining('return `disabled: !row.')))
  })

  it.each([undefined, null, user, 1, 'true'])('is refused when it resolves to %j', async (result) => {
    const error = await causeOf(directoryThat(() => result).verifyPassword(user, 'correct horse'))
    expect(error).toEqual(new TypeError('jwt-auth: users.verifyPassword must resolve to true or false.'))
  })

  it('receives the object that the lookup returned, the password and the priority in the hashing queue', async () => {
    const calls: unknown[][] = []
    const priority = { isKnown: true, network: '192.0.2.1' }
    const users = createCheckedUsers(
      {
        findByUsername: async () => user,
        findById: async () => user,
        verifyPassword: async (...call) => {
          calls.push(call)
          return true
        },
      },
      (call) => call(new AbortController()),
    )
    await users.verifyPassword(await users.findByUsername('ann'), 'correct horse', { priority })
    expect(calls).toEqual([[user, 'correct horse', { priority, reportFault: undefined }]])
    expect(calls[0]?.[0]).toBe(user)
  })
})

describe('a lookup of a user', () => {
  it('receives the signal of its deadline, and the function that reports mistakes', async () => {
    const { signal } = new AbortController()
    const reportFault = (): void => {}
    const calls: unknown[][] = []
    const find = async (...call: unknown[]) => {
      calls.push(call)
      return user
    }
    const users = createCheckedUsers(
      { findByUsername: find, findById: find, verifyPassword: async () => true },
      (call) => call({ signal }),
      reportFault,
    )
    await users.findByUsername('ann')
    await users.findById(1)
    expect(calls).toEqual([
      ['ann', { signal, reportFault }],
      [1, { signal, reportFault }],
    ])
  })
})

describe('users.findById', () => {
  it.each([
    [1, '1', 'called with a number, but returned a user whose `id` is a string. Use one type for ids'],
    ['1', 1, 'called with a string, but returned a user whose `id` is a number. Use one type for ids'],
    [1, 2, 'a user whose `id` is not the one it was called with.'],
  ])('called with %j is refused when it returns the user %j', async (asked, id, message) => {
    const error = await causeOf(directoryThat(() => ({ ...user, id })).findById(asked))
    expect(error).toHaveProperty('message', expect.stringContaining(message))
    expect(error).toHaveProperty('name', String(asked) === String(id) ? 'IdTypeError' : 'TypeError')
  })
})

describe('a user id', () => {
  it.each([0, 1, -1, Number.MAX_SAFE_INTEGER, 'a', '1', 'x'.repeat(255), 'ünï ✓', '\u{1f600}'])(
    'may be %j (%#)',
    (id) => {
      expect(isUserId(id)).toBe(true)
    },
  )

  it.each([
    1.5,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    '',
    'x'.repeat(256),
    '\u{1f600}'.repeat(128),
    'a\0b',
    'a\tb',
    'a\u0085b',
    '\udc00',
    1n,
    null,
    undefined,
    true,
    [1],
    {},
  ])('is not %s (%#)', (id) => {
    expect(isUserId(id)).toBe(false)
  })
})

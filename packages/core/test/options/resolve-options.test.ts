import { runInNewContext } from 'node:vm'
import { hashPassword, passwordUsers } from '@jwt-auth/passwords'
import { verifyPassword } from '@jwt-auth/passwords/internal'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { callUntyped } from '@jwt-auth/test-support/outcome'
import { createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { testIssuer, testSecret } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { createTokenService, type User } from '../../src/index.js'
import { createMemoryLimiter } from '../../src/limits/limiter.js'
import { defaultLimits } from '../../src/limits/rate-limits.js'
import { checkOptionNames, findClosestName, readOptions, usageError } from '../../src/option-checks.js'
import { resolveOptions, serviceOptions } from '../../src/options/resolve-options.js'

const required = () => ({
  secret: testSecret,
  issuer: testIssuer,
  users: createTestDirectory(),
  storage: memoryStorage({ quiet: true }),
})

/** The message of the error, without the address at its end. */
const messageOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (error instanceof TypeError) return error.message.replace(/\nSee https:.*$/, '')
    throw error
  }
  throw new Error('The options were accepted.')
}

const messageFor = (options: object): string =>
  messageOf(() => callUntyped(createTokenService, { ...required(), ...options }))

const wholeNumbers = [
  ['accessTokenLifetimeSeconds', { min: 1, max: 2_592_000, fallback: 3_600 }],
  ['sessionIdleTimeoutSeconds', { min: 1, max: 315_360_000, fallback: 2_592_000 }],
  ['sessionAbsoluteTimeoutSeconds', { min: 1, max: 315_360_000, fallback: 7_776_000 }],
  ['refreshGraceSeconds', { min: 0, max: 300, fallback: 30 }],
  ['clockToleranceSeconds', { min: 0, max: 60, fallback: 0 }],
] as const

describe.each(wholeNumbers)('the option %s', (name, { min, max, fallback }) => {
  it.each([
    ['one too few', min - 1, String(min - 1)],
    ['one too many', max + 1, String(max + 1)],
    ['a fraction', min + 0.5, String(min + 0.5)],
    ['NaN', Number.NaN, 'NaN'],
    ['infinite', Number.POSITIVE_INFINITY, 'Infinity'],
    ['text', '60', 'a string'],
    ['text that is empty', '', 'an empty string'],
    ['null', null, 'null'],
    ['true', true, 'true'],
    ['a list', [60], 'an array'],
    ['a bigint', 60n, 'a bigint'],
  ])('throws a TypeError with the expected range when it is %s', (_, value, received) => {
    expect(messageFor({ [name]: value })).toBe(
      `jwt-auth: option \`${name}\` must be a whole number of seconds from ${min} to ${max}; received ${received}.`,
    )
  })

  it('accepts its minimum and its maximum', () => {
    const longest = { sessionAbsoluteTimeoutSeconds: 315_360_000 }
    expect(resolveOptions({ ...required(), [name]: min })[name]).toBe(min)
    expect(resolveOptions({ ...required(), ...longest, [name]: max })[name]).toBe(max)
  })

  it('has its default when omitted and when undefined', () => {
    expect(resolveOptions(required())[name]).toBe(fallback)
    expect(resolveOptions({ ...required(), [name]: undefined })[name]).toBe(fallback)
  })
})

describe('createTokenService', () => {
  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    ['text', 'a string'],
  ])('names what it received instead of an object: %s', (value, received) => {
    expect(messageOf(() => callUntyped(createTokenService, value))).toBe(
      `jwt-auth: the options of createTokenService must be an object; received ${received}.`,
    )
  })

  const anIssuer = 'text of 1 to 200 characters without control characters, such as "https://api.example.com"'
  it.each([
    ['issuer', undefined, anIssuer, 'nothing'],
    ['issuer', '', anIssuer, 'an empty string'],
    ['issuer', new URL(testIssuer), anIssuer, 'an object'],
    ['issuer', 'https://\ud83d.example', anIssuer, 'a string'],
    ['audience', '', 'a non-empty string', 'an empty string'],
    ['audience', null, 'a non-empty string', 'null'],
    ['audience', ['reports'], 'a non-empty string', 'an array'],
    ['algorithm', 'none', 'HS256, HS384, HS512', 'a string'],
    ['algorithm', 'toString', 'HS256, HS384, HS512', 'a string'],
    ['algorithm', null, 'HS256, HS384, HS512', 'null'],
    ['secret', null, 'a string, bytes, or a secret KeyObject', 'null'],
    ['secret', {}, 'a string, bytes, or a secret KeyObject', 'an object'],
    ['claims', {}, 'a function', 'an object'],
    ['claims', null, 'a function', 'null'],
    ['onError', 'console', 'a function', 'a string'],
    ['onEvent', 1, 'a function', '1'],
    ['rateLimits', true, 'false or an object', 'true'],
    ['rateLimits', null, 'false or an object', 'null'],
    ['rateLimits', 'off', 'false or an object', 'a string'],
  ])('names the invalid option %s, the expected and the received type (%#)', (name, value, expected, received) => {
    expect(messageFor({ [name]: value })).toBe(
      `jwt-auth: option \`${name}\` must be ${expected}; received ${received}.`,
    )
  })

  it.each(['RS256', 'EdDSA'])('names the option for key pairs when algorithm is %s', (algorithm) => {
    expect(messageFor({ algorithm })).toBe(
      `jwt-auth: option \`algorithm\` is ${algorithm}, which needs a key pair; pass \`keys: [{ key, algorithm: '${algorithm}', state: 'active' }]\` instead of \`secret\` and \`algorithm\`.`,
    )
  })

  it.each([
    ['users', null, 'findByUsername, findById, verifyPassword'],
    ['users', 'users', 'findByUsername, findById, verifyPassword'],
    ['users', { verifyPassword: () => {} }, 'findByUsername, findById'],
    ['users', { verifyPassword: true, findById: () => {} }, 'findByUsername, verifyPassword'],
    [
      'storage',
      {},
      'create, findByIds, findBySelectorHash, rotate, end, endAllForUser, list, endCreatedBefore, deleteExpired',
    ],
    ['storage', { ...memoryStorage({ quiet: true }), rotate: undefined }, 'rotate'],
  ])('names the methods that %s lacks (%#)', (name, value, methods) => {
    expect(messageFor({ [name]: value })).toContain(`jwt-auth: option \`${name}\` lacks the method(s) ${methods}; pass`)
  })

  const knexLike = Object.assign(() => {}, { raw: () => {}, client: {} })

  it.each([
    ['storage', undefined, 'is missing; pass `memoryStorage()`'],
    ['users', undefined, 'is missing; pass `passwordUsers('],
    ['storage', Promise.resolve(), 'is a promise; await it.'],
    ['users', Promise.resolve(), 'is a promise; await it.'],
    ['storage', knexLike, 'wrap your client: `knexStorage(knex)`, `sqlStorage(executor)` or `redisStorage(client)`.'],
    ['users', knexLike, 'or `knexUsers(knex, { table, columns })`.'],
    ['users', [], 'lacks the method(s) findByUsername, findById, verifyPassword; pass `passwordUsers('],
    ['users', { findByUsername: () => {}, findById: () => {} }, 'lacks the method(s) verifyPassword; pass'],
  ])('names the fix for a value of %s that stands for the right one (%#)', (name, value, fix) => {
    expect(messageFor({ [name]: value })).toContain(fix)
  })

  const anInterval = 'a whole number of seconds from 1 to 31536000'
  it.each([
    ['network.points', 0, 'a whole number of attempts from 1 to 1000000', '0'],
    ['tokens.points', '5', 'a whole number of attempts from 1 to 1000000', 'a string'],
    ['accountAndNetwork.durationSeconds', 0.5, anInterval, '0.5'],
  ])(
    'names the invalid option rateLimits.%s, the expected and the received type (%#)',
    (path, value, expected, received) => {
      const [name = '', member] = path.split('.')
      const rateLimits = { [name]: member === undefined ? value : { points: 5, durationSeconds: 60, [member]: value } }
      expect(messageFor({ rateLimits })).toBe(
        `jwt-auth: option \`rateLimits.${path}\` must be ${expected}; received ${received}.`,
      )
    },
  )

  it.each([
    [{ account: 10 }, 'the options of rateLimits.account must be an object; received 10.'],
    [{ account: null }, 'the options of rateLimits.account must be an object; received null.'],
    [{ account: [10] }, 'the options of rateLimits.account must be an object; received an array.'],
    [
      { perAccount: {} },
      'rateLimits has no option `perAccount`; known options: accountAndNetwork, account, network, tokens',
    ],
    [
      { account: { points: 5, duration: 60 } },
      'rateLimits.account has no option `duration` (did you mean `durationSeconds`?); known options: points, dur',
    ],
    ...[null, () => {}, { consume: () => {} }].map((limiter): [object, string] => [
      { limiter },
      'option `rateLimits.limiter` lacks the method(s) reserve, refund; pass an object with these methods.',
    ]),
    [() => {}, 'option `rateLimits` must be false or an object; received a function.'],
  ])('rejects invalid members of rateLimits (%#)', (rateLimits, message) => {
    expect(messageFor({ rateLimits })).toContain(message)
  })

  it('ends the message with the address of the option', () => {
    const rateLimits = { network: { points: 0, durationSeconds: 60 } }
    expect(() => callUntyped(createTokenService, { ...required(), rateLimits })).toThrow(
      /received 0\.\nSee https:\/\/jwt-auth\.github\.io\/jwt-auth\/reference\/options#ratelimits$/,
    )
  })

  it('names the position of an invalid secret in a list', () => {
    expect(messageFor({ secret: [testSecret, 'short'] })).toContain('option `secret[1]` is too weak')
    expect(messageFor({ secret: [undefined, testSecret] })).toContain('option `secret[0]` is missing')
  })

  it('rejects an empty list of secrets', () => {
    expect(messageFor({ secret: [] })).toBe('jwt-auth: option `secret` is an empty list; pass at least one secret.')
  })

  it('rejects a repeated secret in any form', () => {
    expect(messageFor({ secret: [testSecret, Buffer.from(testSecret)] })).toContain('`secret[1]` repeats `secret[0]`')
  })

  it.each([
    ['a weak secret', 'hunter2-hunter2'],
    ['a placeholder', 'hunter2-change-me-hunter2-change-me-hunter2'],
    ['a secret among others', [testSecret, 'hunter2']],
    ['a secret in an object', { hunter2: 'hunter2' }],
    ['a secret that is a number', 7_314_159_265_358_979],
  ])('never prints %s in an error', (_, secret) => {
    const message = messageFor({ secret })
    expect(message).not.toContain('hunter2')
    expect(message).not.toContain('7314159265358979')
    expect(message).not.toContain(testSecret)
  })

  it('never prints text that was passed as another option', () => {
    for (const name of ['algorithm', 'users', 'storage', 'claims', 'accessTokenLifetimeSeconds']) {
      expect(messageFor({ [name]: testSecret })).not.toContain(testSecret)
    }
  })
})

describe('the lifetimes', () => {
  it.each([
    [{ sessionAbsoluteTimeoutSeconds: 86_400 }, [3_600, 86_400, 86_400]],
    [{ sessionAbsoluteTimeoutSeconds: 60 }, [60, 60, 60]],
    [{ sessionIdleTimeoutSeconds: 600 }, [600, 600, 7_776_000]],
    [{ accessTokenLifetimeSeconds: 2_592_000 }, [2_592_000, 2_592_000, 7_776_000]],
  ])('that are omitted are at most those that are given: %j', (given, lifetimes) => {
    const resolved = resolveOptions({ ...required(), ...given })
    expect([
      resolved.accessTokenLifetimeSeconds,
      resolved.sessionIdleTimeoutSeconds,
      resolved.sessionAbsoluteTimeoutSeconds,
    ]).toEqual(lifetimes)
  })

  it.each([
    [{ sessionIdleTimeoutSeconds: 100, sessionAbsoluteTimeoutSeconds: 99 }, 'Idle', 'sessionAbsolute'],
    [{ sessionIdleTimeoutSeconds: 7_776_001 }, 'Idle', 'sessionAbsolute'],
    [{ accessTokenLifetimeSeconds: 61, sessionIdleTimeoutSeconds: 60 }, 'access', 'sessionIdle'],
    [{ accessTokenLifetimeSeconds: 61, sessionAbsoluteTimeoutSeconds: 60 }, 'access', 'sessionIdle'],
  ])('are refused when one is longer than what contains it: %j', (given, name, limit) => {
    expect(messageFor(given)).toMatch(new RegExp(`${name}\\w+\` is longer than \`${limit}TimeoutSeconds\`; `))
  })
})

describe('the option rateLimits', () => {
  const defaults = { ...defaultLimits, limiter: undefined }

  it.each([
    ['undefined', undefined],
    ['an empty object', {}],
    ['an object whose options are undefined', { account: undefined, limiter: undefined }],
  ])('has its defaults when it is %s', (_, rateLimits) => {
    expect(resolveOptions({ ...required(), rateLimits }).rateLimits).toEqual(defaults)
  })

  it('keeps the other defaults when one limit is set', () => {
    const account = { points: 20, durationSeconds: 60 }
    expect(resolveOptions({ ...required(), rateLimits: { account } }).rateLimits).toEqual({ ...defaults, account })
  })

  it('has the limiter of the storage by default', () => {
    const [ofStorage, own] = [createMemoryLimiter(), createMemoryLimiter()]
    const options = { ...required(), storage: { ...memoryStorage({ quiet: true }), limiter: ofStorage } }
    expect(resolveOptions(options).rateLimits?.limiter).toBe(ofStorage)
    expect(resolveOptions({ ...options, rateLimits: { limiter: own } }).rateLimits?.limiter).toBe(own)
    expect(resolveOptions({ ...options, rateLimits: false }).rateLimits).toBeUndefined()
  })

  it('refuses a storage whose limiter lacks a method', () => {
    const storage = { ...memoryStorage({ quiet: true }), limiter: { reserve: async () => {} } }
    expect(messageFor({ storage })).toContain('option `storage.limiter` lacks the method(s) refund')
  })
})

describe('a secret that is the issuer', () => {
  const issuer = 'reports service 1 of Example Ltd, Zürich'

  it('is refused', () => {
    expect(messageFor({ issuer, secret: [testSecret, issuer] })).toContain('is the issuer, which every token names')
  })
})

describe('resolveOptions', () => {
  it('treats options that are undefined like omitted ones', () => {
    const options = required()
    const omitted = Object.keys(serviceOptions).filter((name) => !Object.hasOwn(options, name))
    const withUndefined = { ...Object.fromEntries(omitted.map((name) => [name, undefined])), ...options }
    const { keyRing, claims, onError, onEvent, ...resolved } = resolveOptions(withUndefined)
    expect(resolveOptions(options)).toMatchObject(resolved)
    expect(keyRing.active.algorithm).toBe('HS256')
    expect(resolved.audience).toBeUndefined()
  })

  it('ignores later changes to the options', async () => {
    const options = { ...required(), issuer: testIssuer }
    const service = createTokenService(options)
    options.issuer = 'https://other.example.com'
    const { accessToken } = await service.sessions.create(1)
    expect((await service.authorize(accessToken)).claims.iss).toBe(testIssuer)
  })

  it('accepts ports that are instances of classes', async () => {
    const directory = createTestDirectory()
    class Users {
      readonly #directory = directory
      findByUsername(username: string) {
        return this.#directory.findByUsername(username)
      }
      verifyPassword(user: User | undefined, password: string) {
        return this.#directory.verifyPassword(user, password)
      }
      findById(id: string | number) {
        return this.#directory.findById(id)
      }
    }
    const service = createTokenService({ ...required(), users: new Users() })
    const { user } = await service.login({ username: 'ann', password: 'correct horse' })
    expect(user.id).toBe(1)
  })
})

describe('the options of the password functions', () => {
  it.each([3, 16, 12.5, '12', null, Number.NaN])('reject a cost of %s', async (cost) => {
    const message = /^jwt-auth: option `cost` must be a whole number of doublings from 4 to 15; received /
    await expect(callUntyped(hashPassword, 'a password', { cost })).rejects.toThrow(message)
    const find = async () => undefined
    expect(() => callUntyped(passwordUsers, { findByUsername: find, findById: find, cost })).toThrow(message)
  })

  it.each([
    [undefined, 'is missing; pass an object with these methods.'],
    [{ findByUsername: () => {} }, 'lacks the method(s) findById; pass an object with these methods.'],
  ])('passwordUsers names its missing functions (%#)', (options, message) => {
    expect(() => callUntyped(passwordUsers, options)).toThrow(`jwt-auth: option \`passwordUsers\` ${message}`)
  })

  it.each([[''], [undefined], [null], [12_345_678], ['x'.repeat(4_097)], ['half a pair \ud800']])(
    'hashPassword rejects a password that is %s',
    async (password) => {
      await expect(callUntyped(hashPassword, password)).rejects.toThrow(
        usageError('hashPassword', 'hashPassword needs a well-formed string of 1 to 4096 characters.'),
      )
    },
  )

  it('hashPassword accepts the longest password that a login may send', async () => {
    const password = 'x'.repeat(4_096)
    expect(await verifyPassword(password, await hashPassword(password, { cost: 4 }))).toBe(true)
  })
})

describe('the members of an object of options', () => {
  const readReason = (options: object) =>
    checkOptionNames<{ reason?: unknown }>(options, { reason: true }, 'call').reason

  it.each([
    ['an object literal', { reason: 'x' }],
    ['an object without a prototype', Object.assign(Object.create(null), { reason: 'x' })],
    ['a frozen object', Object.freeze({ reason: 'x' })],
    ['an object of another realm', runInNewContext("({ reason: 'x' })")],
    ['an object whose member is not enumerable', Object.defineProperty({}, 'reason', { value: 'x' })],
  ])('are read from %s', (_, options) => {
    expect(readReason(options)).toBe('x')
  })

  class Settings {
    get reason() {
      return 'x'
    }
  }

  it.each([
    ['an instance of a class', new Settings()],
    ['an instance of a class without a base', Reflect.construct(Object, [], class extends null {})],
    ['an object that inherits from another', Object.create({ reason: 'x' })],
    ['an instance of a class of another realm', runInNewContext("new (class { get reason() { return 'x' } })()")],
    ['a map', new Map([['reason', 'x']])],
  ])('are refused in %s', (_, options) => {
    expect(messageOf(() => readReason(options))).toBe(
      'jwt-auth: the options of call must be a plain object, not an instance of a class: write { … }.',
    )
  })

  it('are not read from a polluted Object.prototype', () => {
    Object.defineProperty(Object.prototype, 'reason', { value: 'x', configurable: true })
    try {
      expect(readReason({})).toBeUndefined()
      expect(readOptions('call', {}, { reason: (_: string, value: unknown) => value })).toEqual({ reason: undefined })
    } finally {
      Reflect.deleteProperty(Object.prototype, 'reason')
    }
  })
})

const names = Object.keys(serviceOptions)

describe('the closest name', () => {
  it.each([
    ['accessTokenSecond', 'accessTokenLifetimeSeconds'],
    ['accesstokenlifetimeseconds', 'accessTokenLifetimeSeconds'],
    ['secert', 'secret'],
    ['isuer', 'issuer'],
    ['user', 'users'],
    ['store', 'storage'],
    ['rateLimit', 'rateLimits'],
    ['onErrors', 'onError'],
  ])('to %s is %s', (name, expected) => {
    expect(findClosestName(name, names)).toBe(expected)
  })

  it.each(['debug', 'cookie', 'role', 'x', ''])('to "%s" does not exist among the options of jwtAuth', (name) => {
    expect(findClosestName(name, names)).toBeUndefined()
  })
})

import { createPublicKey, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { type JwtAuth, type JwtAuthOptions, jwtAuth } from '../src/index.js'
import { otherSecret, testSecret } from './support/forge-token.js'
import { createTestUsers } from './support/test-users.js'

const users = createTestUsers()
const storage = memoryStorage({ quiet: true })
const good: JwtAuthOptions = { secret: testSecret, issuer: 'https://api.example.com', users, storage }

/** Makes a service as a host without types would. */
const makeUntyped = (options: unknown): unknown => Reflect.apply(jwtAuth, undefined, [options])

const seconds = (min: number, max: number): string => `a whole number of seconds from ${min} to ${max}`

const publicKey = createPublicKey(generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }))
const aSecret = 'a string, bytes, or a secret KeyObject'
const anIssuer = 'text of 1 to 200 characters without control characters, such as "https://api.example.com"'
const aPath = 'a path such as "/jwt-auth/v1", with a slash before and none after'
const aRealm = 'printable ASCII without quotes and backslashes'
const algorithms = 'HS256, HS384, HS512'
const storageMethods = [
  'create',
  'findByIds',
  'findBySelectorHash',
  'rotate',
  'end',
  'endAllForUser',
  'listActive',
  'endCreatedBefore',
  'clearRecentVerifiers',
  'deleteExpired',
].join(', ')

/** Option, wrong value, what was expected, what came. */
const wrong: readonly (readonly [string, unknown, string, string])[] = [
  ['secret', undefined, aSecret, 'nothing'],
  ['secret', null, aSecret, 'null'],
  ['secret', 7, aSecret, 'a number'],
  ['secret', true, aSecret, 'a boolean'],
  ['secret', {}, aSecret, 'a value of type object'],
  ['secret', publicKey, aSecret, 'a value of type object'],
  ['secret', `${testSecret}\ud800`, aSecret, 'a string'],
  ['issuer', undefined, anIssuer, 'nothing'],
  ['issuer', '', anIssuer, 'an empty string'],
  ['issuer', 7, anIssuer, '7'],
  ['issuer', ['https://api.example.com'], anIssuer, 'an array'],
  ['issuer', '\ud800', anIssuer, 'a string'],
  ['users', undefined, 'an object with the methods findByUsername, findById, verifyPassword', 'nothing'],
  [
    'users',
    () => {},
    'an object with the methods findByUsername, findById, verifyPassword',
    'a value of type function',
  ],
  ['storage', undefined, `an object with the methods ${storageMethods}`, 'nothing'],
  ['storage', 'memory', `an object with the methods ${storageMethods}`, 'a string'],
  ['system', null, 'an object', 'null'],
  ['audience', '', 'a non-empty string', 'an empty string'],
  ['audience', null, 'a non-empty string', 'null'],
  ['audience', ['a', 'b'], 'a non-empty string', 'an array'],
  ['algorithm', 'RS256', algorithms, 'a string'],
  ['algorithm', 'none', algorithms, 'a string'],
  ['algorithm', 'hs256', algorithms, 'a string'],
  ['algorithm', null, algorithms, 'null'],
  ['accessTokenLifetimeSeconds', 0, seconds(1, 2_592_000), '0'],
  ['accessTokenLifetimeSeconds', -1, seconds(1, 2_592_000), '-1'],
  ['accessTokenLifetimeSeconds', 1.5, seconds(1, 2_592_000), '1.5'],
  ['accessTokenLifetimeSeconds', 2_592_001, seconds(1, 2_592_000), '2592001'],
  ['accessTokenLifetimeSeconds', Number.NaN, seconds(1, 2_592_000), 'NaN'],
  ['accessTokenLifetimeSeconds', Number.POSITIVE_INFINITY, seconds(1, 2_592_000), 'Infinity'],
  ['accessTokenLifetimeSeconds', '3600', seconds(1, 2_592_000), 'a string'],
  ['accessTokenLifetimeSeconds', null, seconds(1, 2_592_000), 'null'],
  ['sessionIdleTimeoutSeconds', 0, seconds(1, 315_360_000), '0'],
  ['sessionIdleTimeoutSeconds', 315_360_001, seconds(1, 315_360_000), '315360001'],
  ['sessionAbsoluteTimeoutSeconds', 0, seconds(1, 315_360_000), '0'],
  ['sessionAbsoluteTimeoutSeconds', true, seconds(1, 315_360_000), 'true'],
  ['refreshGraceSeconds', -1, seconds(0, 300), '-1'],
  ['refreshGraceSeconds', 301, seconds(0, 300), '301'],
  ['clockToleranceSeconds', -1, seconds(0, 60), '-1'],
  ['clockToleranceSeconds', 61, seconds(0, 60), '61'],
  ['claims', { role: 'editor' }, 'a function', 'a value of type object'],
  ['onError', 'console.error', 'a function', 'a string'],
  ['onEvent', null, 'a function', 'null'],
  ['device', {}, 'a function', 'a value of type object'],
  ['namespace', '', aPath, 'an empty string'],
  ['namespace', '/', aPath, 'a string'],
  ['namespace', 'jwt-auth/v1', aPath, 'a string'],
  ['namespace', '/jwt-auth/v1/', aPath, 'a string'],
  ['namespace', '/jwt auth', aPath, 'a string'],
  ['namespace', '/:version', aPath, 'a string'],
  ['namespace', 7, aPath, '7'],
  ['realm', '', aRealm, 'an empty string'],
  ['realm', 'a"b', aRealm, 'a string'],
  ['realm', 'a\\b', aRealm, 'a string'],
  ['realm', 'a\r\nSet-Cookie: b', aRealm, 'a string'],
  ['realm', 'é', aRealm, 'a string'],
  ['realm', null, aRealm, 'null'],
  ['formBodies', 'yes', 'true or false', 'a string'],
  ['bodyTimeoutMs', 99, 'a whole number of milliseconds from 100 to 300000', '99'],
  ['bodyTimeoutMs', '10s', 'a whole number of milliseconds from 100 to 300000', 'a string'],
  ['rateLimits', 'on', 'false or an object', 'a string'],
  ['formBodies', 1, 'true or false', '1'],
]

const titled = wrong.map(
  ([option, value, expected, received], position) => [position + 1, option, received, { value, expected }] as const,
)

describe('wrong options', () => {
  it.each(titled)('(%i) throw a TypeError: `%s` received %s', (_, option, received, { value, expected }) => {
    expect(() => makeUntyped({ ...good, [option]: value })).toThrowError(
      new TypeError(`jwt-auth: option \`${option}\` must be ${expected}; received ${received}.`),
    )
  })

  it.each([
    [undefined, 'nothing'],
    [null, 'null'],
    ['secret', 'a string'],
  ])('throw a TypeError when they are %o instead of an object', (options, received) => {
    expect(() => makeUntyped(options)).toThrowError(
      new TypeError(`jwt-auth: option \`options\` must be an object; received ${received}.`),
    )
  })

  it.each([
    ['users', { findById: users.findById }, 'findByUsername, verifyPassword'],
    ['users', {}, 'findByUsername, findById, verifyPassword'],
    ['storage', { ...storage, rotate: undefined }, 'rotate'],
    ['storage', {}, storageMethods],
  ])('throw a TypeError that names what `%s` lacks: %o', (option, value, missing) => {
    expect(() => makeUntyped({ ...good, [option]: value })).toThrowError(
      new TypeError(`jwt-auth: option \`${option}\` lacks the method(s) ${missing}.`),
    )
  })

  it.each([
    ['optional', { optional: 'yes' }, 'true or false', 'a string'],
    ['optional', { optional: null }, 'true or false', 'null'],
    ['allow', { allow: true }, 'a function', 'true'],
    ['allow', { allow: ['admin'] }, 'a function', 'an array'],
  ])('of a guard throw a TypeError: `%s` in %o', (option, options, expected, received) => {
    const auth: JwtAuth = jwtAuth(good)

    expect(() => Reflect.apply(auth.guard, undefined, [options])).toThrowError(
      new TypeError(`jwt-auth: option \`${option}\` must be ${expected}; received ${received}.`),
    )
  })
})

describe('the option secret', () => {
  it.each([
    ['is too short for HS256', { secret: testSecret.slice(0, 31) }, 'at least 32'],
    ['is too short for HS384', { secret: testSecret, algorithm: 'HS384' }, 'at least 48'],
    ['is too short for HS512', { secret: testSecret, algorithm: 'HS512' }, 'at least 64'],
    ['is empty', { secret: '' }, 'at least 32'],
    ['is one character again and again', { secret: 'a'.repeat(64) }, 'too few different characters'],
    ['is a keyboard row again and again', { secret: 'qwertyuiop'.repeat(5) }, 'words, repetitions or sequences'],
    ['is a placeholder', { secret: 'your-top-secret-key-change-me-0123456789' }, 'placeholder'],
    ['is bytes that are too short', { secret: new Uint8Array(16) }, 'at least 32'],
    ['is an empty list', { secret: [] }, 'empty list'],
    ['is listed twice', { secret: [testSecret, testSecret] }, 'repeats `secret[0]`'],
    ['is weak further down the list', { secret: [testSecret, 'short'] }, '`secret[1]`'],
  ])('throws a TypeError that does not show it when it %s', (_, options, reason) => {
    const make = (): unknown => makeUntyped({ ...good, ...options })

    expect(make).toThrowError(TypeError)
    expect(make).toThrowError(reason)
    expect(make).toThrowError(/^jwt-auth: option `secret/)
    expect(make).not.toThrowError(/aaaa|qwerty|0123456789|short[^ ]|Zx3vQ9/)
  })

  it.each([
    ['text', testSecret],
    ['bytes', Buffer.from(testSecret)],
    ['a secret KeyObject', createSecretKey(Buffer.from(testSecret))],
    ['a list', [testSecret, Buffer.from(otherSecret)]],
  ])('may be %s', (_, secret) => {
    expect(jwtAuth({ ...good, secret })).toBeTypeOf('function')
  })
})

describe('options', () => {
  it('that are undefined are absent', () => {
    const optional = [
      'audience',
      'algorithm',
      'accessTokenLifetimeSeconds',
      'sessionIdleTimeoutSeconds',
      'sessionAbsoluteTimeoutSeconds',
      'refreshGraceSeconds',
      'clockToleranceSeconds',
      'claims',
      'onError',
      'onEvent',
      'system',
      'namespace',
      'realm',
      'formBodies',
      'bodyTimeoutMs',
      'rateLimits',
      'device',
    ]
    const absent = Object.fromEntries(optional.map((name) => [name, undefined]))

    expect(makeUntyped({ ...good, ...absent })).toBeTypeOf('function')
  })

  it('are left as the host gave them', () => {
    expect(jwtAuth(Object.freeze({ ...good, secret: Object.freeze([testSecret, otherSecret]) }))).toBeTypeOf('function')
  })

  it.each([
    ['accessTokenLifetimeSeconds', 1],
    ['accessTokenLifetimeSeconds', 2_592_000],
    ['sessionIdleTimeoutSeconds', 315_360_000],
    ['sessionAbsoluteTimeoutSeconds', 315_360_000],
    ['refreshGraceSeconds', 0],
    ['refreshGraceSeconds', 300],
    ['clockToleranceSeconds', 60],
    ['namespace', '/a'],
    ['namespace', '/my~api/auth_2.0'],
    ['realm', "Ada's reports"],
  ])('may lie at their limits: `%s` of %o', (option, value) => {
    expect(makeUntyped({ ...good, [option]: value })).toBeTypeOf('function')
  })
})

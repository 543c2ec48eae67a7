import { inspect } from 'node:util'
import { usageError } from '@jwt-auth/core/internal'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import { type JwtAuthOptions, jwtAuth } from '../src/index.js'
import { createTestUsers } from './support/test-users.js'

const users = createTestUsers()
const storage = memoryStorage({ quiet: true })
const valid: JwtAuthOptions = { secret: testSecret, issuer: 'https://api.example.com', users, storage }

/** Creates a service as an application without types can. */
const createUntyped = (options: unknown): unknown => Reflect.apply(jwtAuth, undefined, [options])

const aPath = 'a path such as "/jwt-auth/v1", with a slash before and none after'
const aRealm = 'printable ASCII without quotes and backslashes'

/** Title, option, wrong value, what was expected, what was received. */
const wrong: readonly (readonly [string, string, unknown, string, string])[] = [
  ['an empty namespace', 'namespace', '', aPath, 'an empty string'],
  ['a namespace that is a slash', 'namespace', '/', aPath, 'a string'],
  ['a namespace without a slash before it', 'namespace', 'jwt-auth/v1', aPath, 'a string'],
  ['a namespace with a trailing slash', 'namespace', '/jwt-auth/v1/', aPath, 'a string'],
  ['a namespace with a space', 'namespace', '/jwt auth', aPath, 'a string'],
  ['a namespace with a parameter', 'namespace', '/:version', aPath, 'a string'],
  ['a number as namespace', 'namespace', 7, aPath, '7'],
  ['an empty realm', 'realm', '', aRealm, 'an empty string'],
  ['a realm with a quote', 'realm', 'a"b', aRealm, 'a string'],
  ['a realm with a backslash', 'realm', 'a\\b', aRealm, 'a string'],
  ['a realm with a line break', 'realm', 'a\r\nSet-Cookie: b', aRealm, 'a string'],
  ['a realm outside ASCII', 'realm', 'é', aRealm, 'a string'],
  ['null as realm', 'realm', null, aRealm, 'null'],
  ['a list as namespace', 'namespace', ['/a'], aPath, 'an array'],
  ['another errorHandling', 'errorHandling', 'next', "'respond' or 'forward'", 'a string'],
  ['text as clientAddress', 'clientAddress', 'ip', 'a function', 'a string'],
  ['text as formBodies', 'formBodies', 'yes', 'true or false', 'a string'],
  ['a number as formBodies', 'formBodies', 1, 'true or false', '1'],
  ['an object as device', 'device', {}, 'a function', 'an object'],
  // One option of the token service stands for all of them.
  ['a wrong option of the token service', 'refreshGraceSeconds', 301, 'a whole number of seconds from 0 to 300', '301'],
]

describe('jwtAuth', () => {
  it.each(wrong)('throws a TypeError for %s', (_, option, value, expected, received) => {
    expect(() => createUntyped({ ...valid, [option]: value })).toThrowError(
      usageError(option, `option \`${option}\` must be ${expected}; received ${received}.`),
    )
  })

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'secret'],
  ])('throws a TypeError for options that are %s', (received, options) => {
    expect(() => createUntyped(options)).toThrowError(
      usageError('jwtAuth', `the options of jwtAuth must be an object; received ${received}.`),
    )
  })

  it('throws a TypeError for an unknown option, suggests the closest name, and lists every option', () => {
    const create = () => createUntyped({ ...valid, accessTokenSecond: 60 })
    expect(create).toThrow(
      /^jwt-auth: jwtAuth has no option `accessTokenSecond` \(did you mean `accessTokenLifetimeSeconds`\?\); known options: /,
    )
    expect(() => createUntyped({ ...valid, namspace: '/x' })).toThrow('did you mean `namespace`?')
    for (const name of ['secret', 'onEvent', 'namespace', 'device']) expect(create).toThrow(new RegExp(`\\b${name}\\b`))
  })

  it('are in no text that Node creates from the service, not even with its hidden members', () => {
    const shown = inspect(jwtAuth(valid), { showHidden: true, depth: 10 })
    expect(shown).toContain('[length]')
    expect(shown).not.toContain(testSecret)
  })

  it('hold the secret where no hidden member of the service returns it', () => {
    const auth = jwtAuth(valid)
    const members = Object.getOwnPropertySymbols(auth).map((key): unknown => Reflect.get(auth, key))
    const returned = members.map((member) => (typeof member === 'function' ? member() : member))
    const shown = inspect(returned, { showHidden: true, depth: 10 })
    expect(shown).toContain('openSessions')
    expect(shown).not.toContain(testSecret)
  })
})

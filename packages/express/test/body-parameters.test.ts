import { json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { jsonHosts, unparsedHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectResponse,
  invalidParameters,
  invalidRefreshToken,
  loginFailed,
  missingParameters,
} from './support/expected-responses.js'
import { readTokens } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost, type TestHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const credentials = { username: 'ada', password }
const longest = 'x'.repeat(4_096)
const tooLong = 'x'.repeat(4_097)
const missingBoth = missingParameters('username', 'password')

const badCredentials = [
  { name: 'an empty object', body: {}, expected: missingBoth },
  { name: 'no password', body: { username: 'ada' }, expected: missingParameters('password') },
  { name: 'no username', body: { password }, expected: missingParameters('username') },
  { name: 'null for both', body: { username: null, password: null }, expected: missingBoth },
  { name: 'an empty username', body: { username: '', password }, expected: missingParameters('username') },
  { name: 'an empty password', body: { username: 'ada', password: '' }, expected: missingParameters('password') },
  { name: 'names in other case', body: { Username: 'ada', PASSWORD: password }, expected: missingBoth },
  { name: 'a number', body: { username: 7, password }, expected: invalidParameters('username') },
  { name: 'zero', body: { username: 0, password }, expected: invalidParameters('username') },
  { name: 'false', body: { username: 'ada', password: false }, expected: invalidParameters('password') },
  { name: 'a list', body: { username: ['ada'], password }, expected: invalidParameters('username') },
  { name: 'an empty list', body: { username: [], password }, expected: invalidParameters('username') },
  { name: 'an object', body: { username: 'ada', password: {} }, expected: invalidParameters('password') },
  { name: 'two wrong types', body: { password: 1, username: 2 }, expected: invalidParameters('username', 'password') },
  { name: 'a high surrogate', body: { username: '\ud800', password }, expected: invalidParameters('username') },
  { name: 'a low surrogate', body: { username: 'ada', password: 'a\udc00' }, expected: invalidParameters('password') },
  { name: '4,097 code units', body: { username: tooLong, password }, expected: invalidParameters('username') },
  {
    name: '2,049 characters of two code units',
    body: { username: 'ada', password: '😀'.repeat(2_049) },
    expected: invalidParameters('password'),
  },
  { name: 'one missing and one invalid', body: { username: 7, password: '' }, expected: missingParameters('password') },
  {
    name: 'one too long and one null',
    body: { username: null, password: tooLong },
    expected: missingParameters('username'),
  },
  { name: 'a prototype', text: `{"__proto__":${JSON.stringify(credentials)}}`, expected: missingBoth },
  {
    name: 'an escaped surrogate',
    text: '{"username":"\\ud800","password":"x"}',
    expected: invalidParameters('username'),
  },
] as const

const badRefreshTokens = [
  { name: 'an empty object', body: {}, expected: missingParameters('refresh_token') },
  { name: 'null', body: { refresh_token: null }, expected: missingParameters('refresh_token') },
  { name: 'an empty text', body: { refresh_token: '' }, expected: missingParameters('refresh_token') },
  { name: 'another name', body: { refreshToken: 'x' }, expected: missingParameters('refresh_token') },
  { name: 'a number', body: { refresh_token: 7 }, expected: invalidParameters('refresh_token') },
  { name: 'a list', body: { refresh_token: ['x'] }, expected: invalidParameters('refresh_token') },
  { name: 'a lone surrogate', body: { refresh_token: '\ud800' }, expected: invalidParameters('refresh_token') },
  { name: '4,097 code units', body: { refresh_token: tooLong }, expected: invalidParameters('refresh_token') },
]

const expectNothingAsked = ({ users, storage }: TestHost): void => {
  expect({ users: users.calls, storage: storage.calls }).toStrictEqual({ users: [], storage: [] })
}

// Two ways to parameters: our own parser, and the object that a parser of the application made.
describe.each(byName([...unparsedHosts, ...jsonHosts].filter(({ name }) => name.startsWith('Express 5'))))(
  'the parameters of a body on %s',
  (_, { framework, before }) => {
    it.each(byName(badCredentials))('respond with 400 at POST /token: %s', async (_, row) => {
      const host = await startHost(framework, { before })
      const message = 'text' in row ? { ...json({}), body: row.text } : json(row.body)

      expectResponse(await host.send('POST', '/jwt-auth/v1/token', message), row.expected)
      expectNothingAsked(host)
    })

    it.each(byName(badRefreshTokens))('respond with 400 at POST /token/refresh: %s', async (_, { body, expected }) => {
      const host = await startHost(framework, { before })

      expectResponse(await host.send('POST', '/jwt-auth/v1/token/refresh', json(body)), expected)
      expectResponse(await host.send('POST', '/jwt-auth/v1/refresh', json(body)), expected)
      expectNothingAsked(host)
    })

    it('may have 4,096 code units', async () => {
      const { send } = await startHost(framework, { before })
      const wrong = json({ username: longest, password: '😀'.repeat(2_048) })

      expectResponse(await send('POST', '/jwt-auth/v1/token', wrong), loginFailed)
      expectResponse(await send('POST', '/jwt-auth/v1/refresh', json({ refresh_token: longest })), invalidRefreshToken)
    })
  },
)

const prototypeNames = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

describe('the names in a JSON body', () => {
  it.each(prototypeNames)('that objects inherit give no parameters: %s', async (name) => {
    const { send } = await startHost(express5Framework)
    const body = `{"${name}":{"username":"ada","password":"${password}"}}`

    expectResponse(await send('POST', '/jwt-auth/v1/token', { ...json({}), body }), missingBoth)
    expect(Object.hasOwn(Object.prototype, 'username')).toBe(false)
  })

  it('count once, the last time, when they are given twice', async () => {
    const { send } = await startHost(express5Framework)
    const body = `{"username":"nobody","username":"ada","password":"x","password":"${password}"}`

    expect(await send('POST', '/jwt-auth/v1/token', { ...json({}), body })).toMatchObject({ status: 200 })
  })
})

/** Lists in lists. */
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('deep JSON', () => {
  it('is a parameter of the wrong type', async () => {
    const { send } = await startHost(express5Framework)
    const body = `{"username":${nested(8_000)},"password":"x"}`

    expectResponse(await send('POST', '/jwt-auth/v1/token', { ...json({}), body }), invalidParameters('username'))
  })

  it('is ignored in an unknown member', async () => {
    const { send } = await startHost(express5Framework)
    const body = JSON.stringify(credentials).replace('{', `{"filler":${nested(8_000)},`)
    const response = await send('POST', '/jwt-auth/v1/token', { ...json({}), body })

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })
})

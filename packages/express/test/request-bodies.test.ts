import { describe, expect, it } from 'vitest'
import { bodyHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectAnswer,
  invalidParameters,
  invalidRefreshToken,
  loginFailed,
  missingParameters,
  unsupportedMediaType,
} from './support/expected-answers.js'
import { json, logIn, readTokens } from './support/flows.js'
import { sendRaw } from './support/raw-request.js'
import { startHost, type TestHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const credentials = { username: 'ada', password }
const longest = 'x'.repeat(4_096)
const tooLong = 'x'.repeat(4_097)
const missingBoth = missingParameters('username', 'password')

const goodTypes = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'Application/JSON',
  'application/json; profile=x',
]

const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/json',
  'application/jsonp',
  'application/vnd.api+json',
  'application/octet-stream',
  'json',
  'application/json, text/plain',
]

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

describe.each(byName(bodyHosts))('request bodies on %s', (_, { framework, before }) => {
  it('are read however their JSON type is spelled', async () => {
    const { send } = await startHost(framework, { before })
    for (const type of goodTypes) {
      const answer = await send('POST', '/jwt-auth/v1/token', json(credentials, { 'Content-Type': type }))
      expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    }
  })

  it('are read when they come in chunks', async () => {
    const { send } = await startHost(framework, { before })
    const answer = await send('POST', '/jwt-auth/v1/token', { ...json(credentials), chunked: true })

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('are read by refresh', async () => {
    const host = await startHost(framework, { before })
    const { refreshToken } = await logIn(host)
    const answer = await host.send('POST', '/jwt-auth/v1/token/refresh', json({ refresh_token: refreshToken }))

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it.each(['/token', '/token/refresh', '/refresh'])('of another type are answered 415 at %s', async (path) => {
    const host = await startHost(framework, { before })
    for (const type of otherTypes) {
      const answer = await host.send('POST', `/jwt-auth/v1${path}`, json(credentials, { 'Content-Type': type }))
      expectAnswer(answer, unsupportedMediaType)
    }
    expectNothingAsked(host)
  })

  it.each(['/token', '/token/refresh', '/refresh'])('without a type are answered 415 at %s', async (path) => {
    const host = await startHost(framework, { before })

    expectAnswer(await host.send('POST', `/jwt-auth/v1${path}`, { body: '{}' }), unsupportedMediaType)
    expectNothingAsked(host)
  })

  it.each([
    ['/token', missingBoth],
    ['/token/refresh', missingParameters('refresh_token')],
    ['/refresh', missingParameters('refresh_token')],
  ])('that are not there are answered 400 at %s', async (path, expected) => {
    const host = await startHost(framework, { before })
    const jsonType = { 'Content-Type': 'application/json' }

    expectAnswer(await sendRaw(host.port, [`POST /jwt-auth/v1${path} HTTP/1.1`]), expected)
    expectAnswer(await host.send('POST', `/jwt-auth/v1${path}`, { body: '' }), expected)
    expectAnswer(await host.send('POST', `/jwt-auth/v1${path}`, { headers: jsonType, body: '' }), expected)
    expectNothingAsked(host)
  })

  it.each(byName(badCredentials))('with %s are answered 400 at /token, and nothing is asked', async (_, row) => {
    const host = await startHost(framework, { before })
    const message = 'text' in row ? { ...json({}), body: row.text } : json(row.body)

    expectAnswer(await host.send('POST', '/jwt-auth/v1/token', message), row.expected)
    expectNothingAsked(host)
  })

  it.each(byName(badRefreshTokens))(
    'with %s are answered 400 at /token/refresh, and nothing is asked',
    async (_, { body, expected }) => {
      const host = await startHost(framework, { before })

      expectAnswer(await host.send('POST', '/jwt-auth/v1/token/refresh', json(body)), expected)
      expectAnswer(await host.send('POST', '/jwt-auth/v1/refresh', json(body)), expected)
      expectNothingAsked(host)
    },
  )

  it('with parameters of 4,096 code units are taken', async () => {
    const { send } = await startHost(framework, { before })
    const wrong = json({ username: longest, password: '😀'.repeat(2_048) })

    expectAnswer(await send('POST', '/jwt-auth/v1/token', wrong), loginFailed)
    expectAnswer(await send('POST', '/jwt-auth/v1/refresh', json({ refresh_token: longest })), invalidRefreshToken)
  })

  it('that are refused are not echoed', async () => {
    const { send } = await startHost(framework, { before })
    const answer = await send('POST', '/jwt-auth/v1/token', json({ username: ['echo-me'], 'echo-me': 1, password }))

    expect(answer.text).not.toContain('echo-me')
    expect(answer.text).not.toContain(password)
  })

  it('are read from parameters of the body only', async () => {
    const { send } = await startHost(framework, { before })
    const query = new URLSearchParams(credentials).toString()

    expectAnswer(await send('POST', `/jwt-auth/v1/token?${query}`, json({})), missingBoth)
  })
})

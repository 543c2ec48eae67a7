import { type HttpMessage, json } from '@jwt-auth/test-support/http-client'
import { describe, it } from 'vitest'
import { expectNothingAsked, formHosts, jsonHosts, unparsedHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  type ContractResponse,
  expectResponse,
  invalidParameters,
  invalidRefreshToken,
  loginFailed,
  missingParameters,
  payloadTooLarge,
  unsupportedMediaType,
} from './support/expected-responses.js'
import { openSession, readTokens } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const credentials = { username: 'ada', password }
const longest = 'x'.repeat(4_096)
const tooLong = 'x'.repeat(4_097)
const missingBoth = missingParameters('username', 'password')

type BadBody = readonly [title: string, body: object | string, expected: ContractResponse]

const badCredentials: readonly BadBody[] = [
  ['an empty object', {}, missingBoth],
  ['no password', { username: 'ada' }, missingParameters('password')],
  ['no username', { password }, missingParameters('username')],
  ['null for both', { username: null, password: null }, missingBoth],
  ['an empty username', { username: '', password }, missingParameters('username')],
  ['an empty password', { username: 'ada', password: '' }, missingParameters('password')],
  ['names in other case', { Username: 'ada', PASSWORD: password }, missingBoth],
  ['a number', { username: 7, password }, invalidParameters('username')],
  ['zero', { username: 0, password }, invalidParameters('username')],
  ['false', { username: 'ada', password: false }, invalidParameters('password')],
  ['a list', { username: ['ada'], password }, invalidParameters('username')],
  ['an empty list', { username: [], password }, invalidParameters('username')],
  ['an object', { username: 'ada', password: {} }, invalidParameters('password')],
  ['two wrong types', { password: 1, username: 2 }, invalidParameters('username', 'password')],
  ['a high surrogate', { username: '\ud800', password }, invalidParameters('username')],
  ['a low surrogate', { username: 'ada', password: 'a\udc00' }, invalidParameters('password')],
  ['4,097 code units', { username: tooLong, password }, invalidParameters('username')],
  ['2,049 pairs', { username: 'ada', password: '😀'.repeat(2_049) }, invalidParameters('password')],
  ['one missing and one invalid', { username: 7, password: '' }, missingParameters('password')],
  ['a prototype', `{"__proto__":${JSON.stringify(credentials)}}`, missingBoth],
  ['an escaped surrogate', '{"username":"\\ud800","password":"x"}', invalidParameters('username')],
]

const badRefreshTokens: readonly BadBody[] = [
  ['an empty object', {}, missingParameters('refresh_token')],
  ['null', { refresh_token: null }, missingParameters('refresh_token')],
  ['an empty text', { refresh_token: '' }, missingParameters('refresh_token')],
  ['another name', { refreshToken: 'x' }, missingParameters('refresh_token')],
  ['a number', { refresh_token: 7 }, invalidParameters('refresh_token')],
  ['a list', { refresh_token: ['x'] }, invalidParameters('refresh_token')],
  ['a lone surrogate', { refresh_token: '\ud800' }, invalidParameters('refresh_token')],
  ['4,097 code units', { refresh_token: tooLong }, invalidParameters('refresh_token')],
]

// Two ways to parameters: our own parser, and the object that a parser of the application made.
describe.each(byName([...unparsedHosts, ...jsonHosts].filter(({ name }) => name.startsWith('Express 5'))))(
  'the parameters of a body on %s',
  (_, { framework, before }) => {
    it.each(badCredentials)('respond with 400 at POST /token: %s', async (_, body, expected) => {
      const host = await startHost(framework, { before })
      const message = typeof body === 'string' ? { ...json({}), body } : json(body)

      expectResponse(await host.send('POST', '/jwt-auth/v1/token', message), expected)
      expectNothingAsked(host)
    })

    it.each(badRefreshTokens)('respond with 400 at POST /token/refresh: %s', async (_, body, expected) => {
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

/** Lists in lists. */
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('deep JSON', () => {
  it('is a parameter of the wrong type', async () => {
    const { send } = await startHost(express5Framework)
    const body = `{"username":${nested(8_000)},"password":"x"}`

    expectResponse(await send('POST', '/jwt-auth/v1/token', { ...json({}), body }), invalidParameters('username'))
  })
})

const form = (body: string, type = 'application/x-www-form-urlencoded'): HttpMessage => ({
  headers: { 'Content-Type': type },
  body,
})

const formOfCredentials = new URLSearchParams({ ...credentials, remember: '1' }).toString()

const badForms = [
  { name: 'an empty password', body: 'username=ada&password=', expected: missingParameters('password') },
  { name: 'a name without a value', body: 'username&password=x', expected: missingParameters('username') },
  { name: 'a username twice', body: 'username=ada&username=eve&password=x', expected: invalidParameters('username') },
]

const options = { formBodies: true }

describe.each(byName([...unparsedHosts, ...jsonHosts, ...formHosts]))(
  'a form body on %s',
  (_, { framework, before }) => {
    it('responds with 415 unless the option formBodies is set', async () => {
      const host = await startHost(framework, { before })

      expectResponse(await host.send('POST', '/jwt-auth/v1/token', form(formOfCredentials)), unsupportedMediaType)
      expectNothingAsked(host)
    })

    it.each(['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=utf-8'])(
      'is read and decoded with the option formBodies: %s',
      async (type) => {
        const { send } = await startHost(framework, { before, options })
        for (const body of [formOfCredentials, 'username=%61da&password=correct+horse%20battery+staple']) {
          const response = await send('POST', '/jwt-auth/v1/token', form(body, type))
          expectResponse(response, authenticated(readTokens(response), adaFields))
        }
        expectResponse(await send('POST', '/jwt-auth/v1/token', form('username=%61d%61&password=a+b')), loginFailed)
      },
    )

    it('responds with 413 above the limit', async () => {
      const { send } = await startHost(framework, { before, options })

      expectResponse(
        await send('POST', '/jwt-auth/v1/token', form(`${formOfCredentials}&a=${'x'.repeat(16_384)}`)),
        payloadTooLarge,
      )
    })
  },
)

const parsers = [...unparsedHosts, ...formHosts].filter(({ name }) => name.startsWith('Express 5'))

describe.each(byName(parsers))('the parameters of a form on %s', (_, { framework, before }) => {
  it.each(byName(badForms))('respond with 400 without calling users: %s', async (_, { body, expected }) => {
    const host = await startHost(framework, { before, options })

    expectResponse(await host.send('POST', '/jwt-auth/v1/token', form(body)), expected)
    expectNothingAsked(host)
  })
})

describe('the option formBodies', () => {
  it('applies to POST /token/refresh', async () => {
    const host = await startHost(express5Framework, { options })
    const { refreshToken } = await openSession(host)
    const body = form(`grant_type=refresh_token&refresh_token=${refreshToken}`)
    const response = await host.send('POST', '/jwt-auth/v1/token/refresh', body)

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })
})

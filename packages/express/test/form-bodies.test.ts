import type { HttpMessage } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { formHosts, jsonHosts, unparsedHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectResponse,
  invalidParameters,
  loginFailed,
  missingParameters,
  payloadTooLarge,
  unsupportedMediaType,
} from './support/expected-responses.js'
import { openSession, readTokens } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const form = (body: string, type = 'application/x-www-form-urlencoded'): HttpMessage => ({
  headers: { 'Content-Type': type },
  body,
})

const credentials = new URLSearchParams({ username: 'ada', password, remember: '1' }).toString()

const badForms = [
  { name: 'nothing known', body: 'a=b', expected: missingParameters('username', 'password') },
  { name: 'no password', body: 'username=ada', expected: missingParameters('password') },
  { name: 'an empty password', body: 'username=ada&password=', expected: missingParameters('password') },
  { name: 'a name without a value', body: 'username&password=x', expected: missingParameters('username') },
  { name: 'a username twice', body: 'username=ada&username=eve&password=x', expected: invalidParameters('username') },
  {
    name: '4,097 code units',
    body: `username=ada&password=${'x'.repeat(4_097)}`,
    expected: invalidParameters('password'),
  },
]

const options = { formBodies: true }

describe.each(byName([...unparsedHosts, ...jsonHosts, ...formHosts]))(
  'a form body on %s',
  (_, { framework, before }) => {
    it('responds with 415 unless the option formBodies is set', async () => {
      const host = await startHost(framework, { before })

      expectResponse(await host.send('POST', '/jwt-auth/v1/token', form(credentials)), unsupportedMediaType)
      expect(host.users.calls).toStrictEqual([])
    })

    it.each(['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=utf-8'])(
      'is read and decoded with the option formBodies: %s',
      async (type) => {
        const { send } = await startHost(framework, { before, options })
        for (const body of [credentials, 'username=%61da&password=correct+horse%20battery+staple']) {
          const response = await send('POST', '/jwt-auth/v1/token', form(body, type))
          expectResponse(response, authenticated(readTokens(response), adaFields))
        }
        expectResponse(await send('POST', '/jwt-auth/v1/token', form('username=%61d%61&password=a+b')), loginFailed)
      },
    )

    it('responds with 413 above the limit', async () => {
      const { send } = await startHost(framework, { before, options })

      expectResponse(
        await send('POST', '/jwt-auth/v1/token', form(`${credentials}&a=${'x'.repeat(16_384)}`)),
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
    expect(host.users.calls).toStrictEqual([])
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

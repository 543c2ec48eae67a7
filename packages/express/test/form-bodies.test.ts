import { describe, expect, it } from 'vitest'
import { formHosts, jsonHosts, unparsedHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectAnswer,
  invalidParameters,
  loginFailed,
  missingParameters,
  payloadTooLarge,
  unsupportedMediaType,
} from './support/expected-answers.js'
import { json, openSession, readTokens, requestToken } from './support/flows.js'
import type { Message } from './support/http-client.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const form = (body: string, type = 'application/x-www-form-urlencoded'): Message => ({
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

describe.each(byName([...unparsedHosts, ...jsonHosts, ...formHosts]))(
  'form bodies on %s',
  (_, { framework, before }) => {
    const options = { formBodies: true }

    it('are answered 415 unless the host wants them', async () => {
      const host = await startHost(framework, { before })

      expectAnswer(await host.send('POST', '/jwt-auth/v1/token', form(credentials)), unsupportedMediaType)
      expect(host.users.calls).toStrictEqual([])
    })

    it.each(['application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=utf-8'])(
      'of the type %s are read where the host wants them',
      async (type) => {
        const { send } = await startHost(framework, { before, options })
        const answer = await send('POST', '/jwt-auth/v1/token', form(credentials, type))

        expectAnswer(answer, authenticated(readTokens(answer), adaFields))
      },
    )

    it('are read by refresh where the host wants them', async () => {
      const host = await startHost(framework, { before, options })
      const { refreshToken } = await openSession(host)
      const body = form(`grant_type=refresh_token&refresh_token=${refreshToken}`)
      const answer = await host.send('POST', '/jwt-auth/v1/token/refresh', body)

      expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    })

    it('are decoded', async () => {
      const host = await startHost(framework, { before, options })

      expectAnswer(await host.send('POST', '/jwt-auth/v1/token', form('username=%61d%61&password=a+b')), loginFailed)
      expect(
        await host.send('POST', '/jwt-auth/v1/token', form('username=%61da&password=correct+horse%20battery+staple')),
      ).toMatchObject({ status: 200 })
    })

    it.each(byName(badForms))('with %s are answered 400, and nothing is asked', async (_, { body, expected }) => {
      const host = await startHost(framework, { before, options })

      expectAnswer(await host.send('POST', '/jwt-auth/v1/token', form(body)), expected)
      expect(host.users.calls).toStrictEqual([])
    })

    it('over the limit are answered 413', async () => {
      const { send } = await startHost(framework, { before, options })

      expectAnswer(
        await send('POST', '/jwt-auth/v1/token', form(`${credentials}&a=${'x'.repeat(16_384)}`)),
        payloadTooLarge,
      )
    })

    it('stand beside JSON bodies, and other types stay 415', async () => {
      const host = await startHost(framework, { before, options })
      const plainText = json({ username: 'ada', password }, { 'Content-Type': 'text/plain' })

      expect(await requestToken(host)).toMatchObject({ status: 200 })
      expectAnswer(await host.send('POST', '/jwt-auth/v1/token', plainText), unsupportedMediaType)
    })
  },
)

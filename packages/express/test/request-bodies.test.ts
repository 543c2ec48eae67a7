import { json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { bodyHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import { authenticated, expectResponse, missingParameters, unsupportedMediaType } from './support/expected-responses.js'
import { readTokens } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { sendRaw } from './support/raw-request.js'
import { startHost, type TestHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const credentials = { username: 'ada', password }
const missingBoth = missingParameters('username', 'password')

const jsonTypes = [
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
  `application/json; a=${'b'.repeat(256)}`,
]

const expectNothingAsked = ({ users, storage }: TestHost): void => {
  expect({ users: users.calls, storage: storage.calls }).toStrictEqual({ users: [], storage: [] })
}

const readers = ['/token', '/token/refresh', '/refresh'].map((path) => `/jwt-auth/v1${path}`)

describe.each(byName(bodyHosts))('a request body on %s', (_, { framework, before }) => {
  it('is read with every spelling of the JSON type', async () => {
    const { send } = await startHost(framework, { before })
    for (const type of jsonTypes) {
      const response = await send('POST', '/jwt-auth/v1/token', json(credentials, { 'Content-Type': type }))
      expectResponse(response, authenticated(readTokens(response), adaFields))
    }
  })

  it('of another type, or without a type, responds with 415 without calling users or storage', async () => {
    const host = await startHost(framework, { before })
    for (const path of readers) {
      for (const type of otherTypes) {
        expectResponse(await host.send('POST', path, json(credentials, { 'Content-Type': type })), unsupportedMediaType)
      }
      expectResponse(await host.send('POST', path, { body: '{}' }), unsupportedMediaType)
    }
    expectNothingAsked(host)
  })

  it('that is missing or empty responds with 400 without calling users or storage', async () => {
    const host = await startHost(framework, { before })
    const headers = { 'Content-Type': 'application/json' }
    for (const path of readers) {
      const expected = path.endsWith('/token') ? missingBoth : missingParameters('refresh_token')
      expectResponse(await sendRaw(host.port, [`POST ${path} HTTP/1.1`]), expected)
      expectResponse(await host.send('POST', path, { body: '' }), expected)
      expectResponse(await host.send('POST', path, { headers, body: '' }), expected)
    }
    expectNothingAsked(host)
  })

  it('is the only source of parameters', async () => {
    const { send } = await startHost(framework, { before })
    const query = new URLSearchParams(credentials).toString()

    expectResponse(await send('POST', `/jwt-auth/v1/token?${query}`, json({})), missingBoth)
  })
})

describe('a content coding', () => {
  it.each(['gzip', 'br', 'deflate', 'zstd'])(
    'responds with 415, and neither users nor storage are asked: %s',
    async (coding) => {
      const host = await startHost(express5Framework)
      const message = json(credentials, { 'Content-Encoding': coding })

      expectResponse(await host.send('POST', '/jwt-auth/v1/token', message), unsupportedMediaType)
      expectNothingAsked(host)
    },
  )

  it('of the name identity is none', async () => {
    const host = await startHost(express5Framework)
    const response = await host.send(
      'POST',
      '/jwt-auth/v1/token',
      json(credentials, { 'Content-Encoding': 'identity' }),
    )

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })
})

import { once } from 'node:events'
import { connect, createServer, type OutgoingHttpHeaders } from 'node:http2'
import { json as readJson } from 'node:stream/consumers'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { listen } from '@jwt-auth/test-support'
import { readTextMember } from '@jwt-auth/test-support/read-json'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it, onTestFinished } from 'vitest'
import { jwtAuth } from '../src/index.js'
import { issuer } from './support/test-host.js'
import { createTestUsers, password } from './support/test-users.js'

/** Starts a service on a server of HTTP/2 without TLS, and connects a client. */
const start = async () => {
  const storage = memoryStorage({ quiet: true })
  const users = createTestUsers()
  const auth = jwtAuth({ secret: testSecret, issuer, users, storage, cookies: true, onError: () => {} })
  const server = createServer((req, res) => Reflect.apply(auth, undefined, [req, res]))
  const session = connect(`http://127.0.0.1:${await listen(server)}`)
  onTestFinished(() => {
    session.destroy()
    server.close()
  })

  /** Posts members as JSON. `undefined` ends the stream with its headers. */
  return async (
    path: string,
    members: object | undefined,
    headers: OutgoingHttpHeaders = {},
    text = JSON.stringify(members),
  ) => {
    const fields = { ':method': 'POST', ':path': `/jwt-auth/v1${path}`, 'content-type': 'application/json', ...headers }
    const stream = session.request(fields, { endStream: members === undefined })
    if (members !== undefined) stream.end(text)
    const [{ ':status': status }] = await once(stream, 'response')
    return { status, body: await readJson(stream) }
  }
}

const credentials = { username: 'ada', password }

describe('a request of HTTP/2', () => {
  it('has a body without Content-Length', async () => {
    const post = await start()
    const login = await post('/token', credentials)
    expect(login).toMatchObject({ status: 200, body: { user_id: 7 } })
    const refresh_token = readTextMember(login.body, 'refresh_token')
    expect(await post('/token/refresh', { refresh_token })).toMatchObject({ status: 200 })
  })

  it('has no body if an empty frame follows its headers without a media type', async () => {
    const post = await start()
    const { body } = await post('/token', credentials)
    const headers = { authorization: `Bearer ${readTextMember(body, 'token')}`, 'content-type': undefined }
    expect(await post('/token/refresh', {}, headers, '')).toMatchObject({
      status: 400,
      body: { message: 'Missing parameter(s): refresh_token' },
    })
  })

  it('has no body if its headers end the stream', async () => {
    const post = await start()
    expect(await post('/token', undefined)).toMatchObject({
      status: 400,
      body: { message: 'Missing parameter(s): username, password' },
    })
    const { body } = await post('/token', credentials)
    const headers = { authorization: `Bearer ${readTextMember(body, 'token')}` }
    expect(await post('/token/revoke', undefined, headers)).toMatchObject({ status: 200 })
  })

  it.each([
    ['the own origin', 'https://app.example.com', 200],
    ['another origin', 'https://evil.example', 403],
  ])('of a page of %s, without Sec-Fetch-Site, is recognized by :authority', async (_, origin, status) => {
    const post = await start()
    const headers = { ':authority': 'app.example.com', origin, 'x-jwt-auth-transport': 'cookie' }
    expect(await post('/token', credentials, headers)).toMatchObject({ status })
  })
})

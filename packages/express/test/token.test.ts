import { json } from '@jwt-auth/test-support/http-client'
import { startOfTime } from '@jwt-auth/test-support/test-clock'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import { createHashingQueue, hashPassword, passwordUsers } from '../src/index.js'
import { authenticated, expectResponse, loginFailed, unavailable, withoutDate } from './support/expected-responses.js'
import { readTokens, requestToken } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { createLatch } from './support/latch.js'
import { issuer, startHost } from './support/test-host.js'
import { adaFields, brianFields, password } from './support/test-users.js'

describe('POST /token', () => {
  it('responds to a correct password with the authentication result', async () => {
    const response = await requestToken(await startHost(express5Framework))

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it('keeps the JSON type of a user id that is text', async () => {
    const response = await requestToken(await startHost(express5Framework), 'brian')

    expectResponse(response, authenticated(readTokens(response), brianFields))
  })

  it('ignores unknown members and the Authorization header', async () => {
    const { send } = await startHost(express5Framework)
    const message = json({ username: 'ada', password, remember: true, id: 8 }, { Authorization: 'Bearer not a token' })
    const response = await send('POST', '/jwt-auth/v1/token', message)

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it('issues a token with the header and the claims of the contract, and with nothing of the Host header', async () => {
    const { send } = await startHost(express5Framework, { options: { sessionIdleTimeoutSeconds: 100 } })
    const attack = { Host: 'attacker.example', 'X-Forwarded-Host': 'attacker.example' }
    const response = await send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }, attack))
    const tokens = readTokens(response)
    const { header, claims } = decodeToken(tokens.token)
    const [iat, id] = [startOfTime / 1000, expect.stringMatching(/^[\w-]{22}$/)]

    expectResponse(response, authenticated(tokens, adaFields, 100))
    expect(header).toStrictEqual({ alg: 'HS256', typ: 'at+jwt', kid: expect.any(String) })
    expect(claims).toStrictEqual({
      iss: issuer,
      sub: '7',
      iat,
      nbf: iat,
      // Not after the session.
      exp: iat + 100,
      auth_time: iat,
      jti: id,
      sid: id,
      data: { user: { id: 7 } },
    })
  })

  it('responds to every failed login with the same 403, in every header and byte', async () => {
    const host = await startHost(express5Framework)
    const responses = await Promise.all([
      requestToken(host, 'nobody'),
      requestToken(host, 'ada', 'wrong'),
      requestToken(host, 'ada', `${password} `),
      requestToken(host, '\u0430da'),
      requestToken(host, 'dora'),
      requestToken(host, 'dora', 'wrong'),
    ])

    for (const response of responses) expectResponse(response, loginFailed)
    expect(new Set(responses.map((response) => JSON.stringify(withoutDate(response)))).size).toBe(1)
  })

  it('authenticates a user by any spelling of the user name', async () => {
    const host = await startHost(express5Framework)
    for (const username of ['ADA', 'ada ', '\uff21da']) {
      const response = await requestToken(host, username)
      expectResponse(response, authenticated(readTokens(response), adaFields))
    }
  })

  it('responds with 503 and Retry-After when the hashing queue is full', async () => {
    const queue = createHashingQueue({ concurrency: 1, maxQueued: 0 })
    const nobody = async () => undefined
    const users = passwordUsers({ findByUsername: nobody, findById: nobody, cost: 4, queue })
    const host = await startHost(express5Framework, { options: { users } })
    const work = createLatch()
    const held = queue.run(work.pass)

    expectResponse(await requestToken(host), {
      ...unavailable,
      headers: { ...unavailable.headers, 'retry-after': '5' },
    })
    work.open()
    await held
    expectResponse(await requestToken(host), loginFailed)
  })

  it('reports a full hashing queue once a minute, and separately a failure of storage', async () => {
    const queue = createHashingQueue({ concurrency: 1, maxQueued: 0 })
    const passwordHash = await hashPassword(password, { cost: 4 })
    const find = async () => ({ ...ada, passwordHash })
    const users = passwordUsers({ findByUsername: find, findById: find, cost: 4, queue })
    const host = await startHost(express5Framework, { options: { users } })
    const work = createLatch()
    const held = queue.run(work.pass)
    for (let count = 0; count < 3; count += 1) expect(await requestToken(host)).toMatchObject({ status: 503 })
    host.clock.advanceSeconds(60)
    expect(await requestToken(host)).toMatchObject({ status: 503 })
    work.open()
    await held
    host.storage.fail(storageFailure, 'create')
    expectResponse(await requestToken(host), unavailable)

    expect(host.reports.map(({ code, detail }) => [code, detail])).toStrictEqual([
      ['jwt_auth_unavailable', 'the hashing queue is full'],
      ['jwt_auth_unavailable', 'the hashing queue is full'],
      ['jwt_auth_unavailable', 'storage failed'],
    ])
  })
})

const ada = { id: 7, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada' }

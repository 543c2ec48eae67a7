import { json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { createHashingQueue, passwordUsers } from '../src/index.js'
import { authenticated, expectResponse, loginFailed, unavailable, withoutDate } from './support/expected-responses.js'
import { readTokens, requestToken } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { createLatch } from './support/latch.js'
import { startHost } from './support/test-host.js'
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
})

import { describe, expect, it } from 'vitest'
import { createHashingQueue, hashPassword, passwordUsers } from '../src/index.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectAnswer,
  loginFailed,
  unavailable,
  validToken,
  withoutDate,
} from './support/expected-answers.js'
import { json, logIn, readTokens, requestRevocation, requestToken, requestValidation } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { createGate } from './support/gate.js'
import { startHost } from './support/test-host.js'
import { adaFields, brianFields, password } from './support/test-users.js'

describe('POST /token', () => {
  it('answers a right password with the authentication result', async () => {
    const answer = await requestToken(await startHost(express5Framework))

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('keeps the JSON type of a user id that is text', async () => {
    const answer = await requestToken(await startHost(express5Framework), 'brian')

    expectAnswer(answer, authenticated(readTokens(answer), brianFields))
  })

  it('says in expires_in how long the access token lives', async () => {
    const answer = await requestToken(
      await startHost(express5Framework, { options: { accessTokenLifetimeSeconds: 120 } }),
    )

    expectAnswer(answer, authenticated(readTokens(answer), adaFields, 120))
  })

  it('ignores members it does not know', async () => {
    const { send } = await startHost(express5Framework)
    const answer = await send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password, remember: true, id: 8 }))

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('needs no Authorization header and reads none', async () => {
    const { send } = await startHost(express5Framework)
    const message = json({ username: 'ada', password }, { Authorization: 'Bearer not a token' })
    const answer = await send('POST', '/jwt-auth/v1/token', message)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('opens a session for each login, and revoking one leaves the other', async () => {
    const host = await startHost(express5Framework)
    const [first, second] = [await logIn(host), await logIn(host)]

    expect(second.token).not.toBe(first.token)
    expect(second.refreshToken).not.toBe(first.refreshToken)
    expect(await host.auth.sessions.list(7)).toHaveLength(2)

    await requestRevocation(host, first.token)

    expectAnswer(await requestValidation(host, second.token), validToken)
  })

  it.each(
    byName([
      { name: 'an unknown user', username: 'nobody', given: password },
      { name: 'a wrong password', username: 'ada', given: 'wrong' },
      { name: 'a disabled user with the right password', username: 'dora', given: password },
      { name: 'a disabled user with a wrong password', username: 'dora', given: 'wrong' },
      { name: 'a user name with another letter', username: '\u00e0da', given: password },
      { name: 'a user name with a letter that looks the same', username: '\u0430da', given: password },
      { name: 'a user name with a control character', username: 'ada\u0007', given: password },
      { name: 'a password with a space after it', username: 'ada', given: `${password} ` },
    ]),
  )('answers 403 to %s', async (_, { username, given }) => {
    expectAnswer(await requestToken(await startHost(express5Framework), username, given), loginFailed)
  })

  it.each(['ADA', 'ada ', '\uff21da'])('knows a user by any spelling of their name: %j', async (username) => {
    const answer = await requestToken(await startHost(express5Framework), username)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('answers an unknown user, a wrong password and a disabled user alike in every header and byte', async () => {
    const host = await startHost(express5Framework)
    const unknownUser = withoutDate(await requestToken(host, 'nobody'))

    expect(withoutDate(await requestToken(host, 'ada', 'wrong'))).toStrictEqual(unknownUser)
    expect(withoutDate(await requestToken(host, 'dora'))).toStrictEqual(unknownUser)
  })

  it('answers 403 to a user without a password', async () => {
    const host = await startHost(express5Framework)
    host.users.change('ada', { passwordHash: null })

    expectAnswer(await requestToken(host), loginFailed)
  })

  it.each(
    byName([
      { name: 'is deleted', changes: undefined },
      { name: 'is disabled', changes: { disabled: true } },
      { name: 'gets another password', changes: { credentialVersion: 'another' } },
    ]),
  )('answers 403 and leaves no session when the user %s while the password is checked', async (_, { changes }) => {
    const host = await startHost(express5Framework)
    host.users.afterNextVerification(() => {
      if (changes === undefined) host.users.remove('ada')
      else host.users.change('ada', changes)
    })

    expectAnswer(await requestToken(host), loginFailed)
    expect(await host.auth.sessions.list(7)).toStrictEqual([])
  })
})

describe('POST /token', () => {
  it('answers 503, and when to come back, while as many logins wait to be hashed as may', async () => {
    const queue = createHashingQueue({ concurrency: 1, maxQueued: 0 })
    const nobody = async () => undefined
    const users = passwordUsers({ findByUsername: nobody, findById: nobody, cost: 4, queue })
    const host = await startHost(express5Framework, { options: { users } })
    const work = createGate()
    const held = queue.run(work.pass)

    expectAnswer(await requestToken(host), { ...unavailable, headers: { ...unavailable.headers, 'retry-after': '5' } })
    work.open()
    await held
    expectAnswer(await requestToken(host), loginFailed)
  })

  it('reports a full hashing queue once a minute, and a failure of storage apart from it', async () => {
    const queue = createHashingQueue({ concurrency: 1, maxQueued: 0 })
    const passwordHash = await hashPassword(password, { cost: 4 })
    const find = async () => ({ ...ada, passwordHash })
    const users = passwordUsers({ findByUsername: find, findById: find, cost: 4, queue })
    const host = await startHost(express5Framework, { options: { users } })
    const work = createGate()
    const held = queue.run(work.pass)
    for (let count = 0; count < 3; count += 1) expect(await requestToken(host)).toMatchObject({ status: 503 })
    host.clock.advanceSeconds(60)
    expect(await requestToken(host)).toMatchObject({ status: 503 })
    work.open()
    await held
    host.storage.breakDown('create')
    expectAnswer(await requestToken(host), unavailable)

    expect(host.reports.map(({ code, detail }) => [code, detail])).toStrictEqual([
      ['jwt_auth_unavailable', 'the hashing queue is full'],
      ['jwt_auth_unavailable', 'the hashing queue is full'],
      ['jwt_auth_unavailable', 'storage failed'],
    ])
  })
})

const ada = { id: 7, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada' }

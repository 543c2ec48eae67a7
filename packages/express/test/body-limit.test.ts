import { describe, expect, it } from 'vitest'
import { bodyHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectAnswer,
  payloadTooLarge,
  unsupportedMediaType,
  validToken,
} from './support/expected-answers.js'
import { json, openSession, readTokens, requestToken, requestValidation } from './support/flows.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const limitBytes = 16 * 1024

/** Good credentials in a body of exactly this size. */
const credentialsOf = (bytes: number): string => {
  const body = { username: 'ada', password, filler: '' }
  return JSON.stringify({ ...body, filler: 'x'.repeat(bytes - JSON.stringify(body).length) })
}

const transfers = [
  { name: 'whose length is announced', chunked: false },
  { name: 'that comes in chunks', chunked: true },
]

describe.each(byName(bodyHosts))('the limit of request bodies on %s', (_, { framework, before }) => {
  describe.each(byName(transfers))('for a body %s', (_, { chunked }) => {
    it('lets 16 KiB in', async () => {
      const { send } = await startHost(framework, { before })
      const answer = await send('POST', '/jwt-auth/v1/token', { ...json({}), body: credentialsOf(limitBytes), chunked })

      expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    })

    it.each([
      ['/token', limitBytes + 1],
      ['/token', 64 * 1024],
      ['/token/refresh', limitBytes + 1],
      ['/refresh', limitBytes + 1],
    ])('answers 413 at %s to %i bytes, and nothing is asked', async (path, bytes) => {
      const host = await startHost(framework, { before })
      const message = { ...json({}), body: credentialsOf(bytes), chunked }

      expectAnswer(await host.send('POST', `/jwt-auth/v1${path}`, message), payloadTooLarge)
      expect({ users: host.users.calls, storage: host.storage.calls }).toStrictEqual({ users: [], storage: [] })
    })
  })

  it('matters less than the type: a large body of another type is answered 415', async () => {
    const { send } = await startHost(framework, { before })
    const message = json({}, { 'Content-Type': 'text/plain' })

    expectAnswer(
      await send('POST', '/jwt-auth/v1/token', { ...message, body: credentialsOf(64 * 1024) }),
      unsupportedMediaType,
    )
  })

  it('counts bytes, not characters', async () => {
    const { send } = await startHost(framework, { before })
    const body = JSON.stringify({ username: 'ada', password, filler: '✓'.repeat(limitBytes / 2) })

    expectAnswer(await send('POST', '/jwt-auth/v1/token', { ...json({}), body }), payloadTooLarge)
  })

  it('leaves the service working for the next request', async () => {
    const host = await startHost(framework, { before })
    await host.send('POST', '/jwt-auth/v1/token', { ...json({}), body: credentialsOf(64 * 1024) })
    const { token } = await openSession(host)

    expect(await requestToken(host)).toMatchObject({ status: 200 })
    expectAnswer(await requestValidation(host, token), validToken)
    expect(host.reports).toStrictEqual([])
  })
})

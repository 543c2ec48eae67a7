import { json } from '@jwt-auth/test-support/http-client'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { bodyHosts } from './support/body-hosts.js'
import { byName } from './support/by-name.js'
import { authenticated, expectResponse, payloadTooLarge } from './support/expected-responses.js'
import { readTokens } from './support/flows.js'
import { express4Framework, express5Framework } from './support/frameworks.js'
import { startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const limitBytes = 16 * 1024

/** Valid credentials in a body of exactly this size. */
const credentialsOf = (bytes: number): string => {
  const body = { username: 'ada', password, filler: '' }
  return JSON.stringify({ ...body, filler: 'x'.repeat(bytes - JSON.stringify(body).length) })
}

const readers = ['/token', '/token/refresh', '/refresh'].map((path) => `/jwt-auth/v1${path}`)

describe.each(byName(bodyHosts))('the limit of a request body on %s', (_, { framework, before }) => {
  it.each([false, true])('accepts 16 KiB (in chunks: %s)', async (chunked) => {
    const { send } = await startHost(framework, { before })
    const response = await send('POST', '/jwt-auth/v1/token', { ...json({}), body: credentialsOf(limitBytes), chunked })

    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it.each([false, true])(
    'responds with 413 to one byte more, and neither users nor storage are asked (in chunks: %s)',
    async (chunked) => {
      const host = await startHost(framework, { before })
      const message = { ...json({}), body: credentialsOf(limitBytes + 1), chunked }

      for (const path of readers) expectResponse(await host.send('POST', path, message), payloadTooLarge)
      expect({ users: host.users.calls, storage: host.storage.calls }).toStrictEqual({ users: [], storage: [] })
    },
  )
})

describe('the limit of a request body', () => {
  it('counts bytes, not characters', async () => {
    const { send } = await startHost(express5Framework)
    const body = JSON.stringify({ username: 'ada', password, filler: '✓'.repeat(limitBytes / 2) })

    expectResponse(await send('POST', '/jwt-auth/v1/token', { ...json({}), body }), payloadTooLarge)
  })
})

// Parsers of the application with a larger limit.
const roomyHosts = [
  { name: 'Express 5', framework: express5Framework, before: [express5.json({ limit: '10mb' })] },
  { name: 'Express 4', framework: express4Framework, before: [express4.json({ limit: '10mb' })] },
]

describe.each(byName(roomyHosts))('a body behind express.json({ limit }) on %s', (_, { framework, before }) => {
  it('responds with 413 to lists in lists, 100,000 deep, also in chunks', async () => {
    const host = await startHost(framework, { before })
    const body = `{"username":${'['.repeat(100_000)}${']'.repeat(100_000)},"password":"x"}`
    for (const chunked of [false, true]) {
      expectResponse(await host.send('POST', '/jwt-auth/v1/token', { ...json({}), body, chunked }), payloadTooLarge)
    }

    expect(host.reports).toStrictEqual([])
  })
})

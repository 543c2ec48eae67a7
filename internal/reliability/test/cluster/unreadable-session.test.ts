import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import type { AuthError } from '@jwt-auth/core'
import { jwtAuth } from '@jwt-auth/express'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import express from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstanceServer, listen } from '../../src/cluster/instance/instance-server.js'
import { findStores } from '../../src/cluster/stores/find-stores.js'
import type { FreshStore } from '../../src/cluster/stores/store.js'
import { createHostUsers } from '../../src/model/host-users.js'

const content = 'never-print-this'

describeEach(await findStores(), 'a session on $name that cannot be parsed', ({ name, create }) => {
  const errors: AuthError[] = []
  let store: FreshStore
  let server: InstanceServer
  let tokens: readonly { readonly sessionId: string; readonly accessToken: string }[]
  beforeAll(async () => {
    store = await create()
    const auth = jwtAuth({
      secret: randomBytes(32),
      issuer: 'https://api.example.com',
      users: createHostUsers(),
      storage: store.storage,
      rateLimits: false,
      // Long enough that a busy machine causes no other failure.
      storageTimeoutMs: 60_000,
      onError: (error) => errors.push(error),
    })
    const app = express().get('/guarded', auth.guard(), (_req, res) => void res.sendStatus(200))
    server = await listen(app)
    tokens = await Promise.all(Array.from({ length: 40 }, () => auth.sessions.create(1)))
  })
  afterAll(async () => {
    await server?.stop()
    await store?.drop()
  })

  const requestAll = (): Promise<readonly number[]> =>
    Promise.all(
      tokens.map(async ({ accessToken }) => {
        const headers = { authorization: `Bearer ${accessToken}` }
        return (await fetch(`${server.url}/guarded`, { headers })).status
      }),
    )

  it('fails only its own request of 40 concurrent requests, and is reported once, with its id and column but without its content', async () => {
    expect(await requestAll()).toEqual(tokens.map(() => 200))
    const damaged = tokens[17]?.sessionId ?? expect.unreachable()
    await store.damageSession(damaged, content)
    expect(await requestAll()).toEqual(tokens.map(({ sessionId }) => (sessionId === damaged ? 503 : 200)))
    const place = name === 'Redis' ? 'field recentVerifiers' : 'column recent_verifiers'
    expect(errors).toMatchObject([
      {
        code: 'jwt_auth_unavailable',
        detail: `storage failed for session ${damaged}`,
        cause: { message: expect.stringContaining(`the ${place} holds no valid JSON`) },
      },
    ])
    expect(inspect(errors, { depth: null })).not.toContain(content.slice(0, 5))
    expect(inspect(errors[0]?.cause, { depth: null })).not.toContain(damaged)
  })
})

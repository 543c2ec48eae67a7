import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import type { AuthError, AuthenticationResult } from '@jwt-auth/core'
import { type JwtAuth, jwtAuth } from '@jwt-auth/express'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import express from 'express'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type InstanceServer, listen } from '../../src/cluster/instance/instance-server.js'
import { type FreshStore, findStores } from '../../src/cluster/stores.js'
import { createHostUsers } from '../../src/model/host-users.js'

const content = 'never-print-this'

describeEach(await findStores(), 'a session on $name that cannot be parsed', ({ create }) => {
  const errors: AuthError[] = []
  let store: FreshStore
  let server: InstanceServer
  let auth: JwtAuth
  let tokens: readonly AuthenticationResult[]
  beforeAll(async () => {
    store = await create()
    auth = jwtAuth({
      secret: randomBytes(32),
      issuer: 'https://api.example.com',
      users: createHostUsers(),
      storage: store.storage,
      rateLimits: false,
      // Long enough that a busy machine causes no other failure.
      storageTimeoutMs: 60_000,
      onError: (error) => errors.push(error),
    })
    const app = express()
      .use(auth)
      .get('/guarded', auth.guard(), (_req, res) => void res.sendStatus(200))
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

  const damageOne = async (): Promise<AuthenticationResult> => {
    const one = tokens[17] ?? expect.unreachable()
    await store.damageSession(one.sessionId, content)
    return one
  }

  const reportFor = (sessionId: string) => ({
    code: 'jwt_auth_unavailable',
    detail: `storage failed for session ${sessionId}`,
    cause: { message: expect.stringMatching(/the (column|field) recent_?[vV]erifiers holds no valid JSON/) },
  })

  it('fails only its own request of 40 concurrent requests, and is reported once, with its id and column but without its content', async () => {
    expect(await requestAll()).toEqual(tokens.map(() => 200))
    const { sessionId: damaged } = await damageOne()
    expect(await requestAll()).toEqual(tokens.map(({ sessionId }) => (sessionId === damaged ? 503 : 200)))
    expect(errors).toMatchObject([reportFor(damaged)])
    expect(inspect(errors, { depth: null })).not.toContain(content.slice(0, 5))
    expect(inspect(errors[0]?.cause, { depth: null })).not.toContain(damaged)
  })

  it('is reported with its id by a refresh, and by a login that lists the sessions of its user', async () => {
    const { sessionId, refreshToken } = await damageOne()
    errors.length = 0
    const response = await fetch(`${server.url}/jwt-auth/v1/token/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token: refreshToken }),
    })
    expect(response.status).toBe(503)
    await auth.sessions.create(1)
    expect(errors).toMatchObject([reportFor(sessionId), reportFor(sessionId)])
    for (const { cause } of errors) expect(inspect(cause, { depth: null })).not.toContain(sessionId)
  })
})

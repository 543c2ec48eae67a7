import type { RequestListener } from 'node:http'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { readTextMember } from '@jwt-auth/test-support/read-json'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import * as panva from 'dpop'
import express from 'express'
import * as oauth from 'oauth4webapi'
import { describe, expect, it } from 'vitest'
import { jwtAuth } from '../src/index.js'
import { listen } from './support/test-host.js'
import { createTestUsers, password } from './support/test-users.js'

const startServer = async () => {
  const app = express()
  const port = await listen((...exchange: Parameters<RequestListener>) => app(...exchange))
  const origin = `http://127.0.0.1:${port}`
  const auth = jwtAuth({
    secret: testSecret,
    issuer: origin,
    users: createTestUsers(),
    storage: memoryStorage({ quiet: true }),
    formBodies: true,
    dpop: { bind: 'all-tokens' },
  })
  app.use(auth)
  app.get('/reports', auth.guard(), (req, res) => void res.json({ userId: auth.getAuth(req).userId }))
  return { origin, routes: `${origin}/jwt-auth/v1` }
}

describe('the library dpop as a client', () => {
  it('logs in, refreshes, and sends guarded requests', async () => {
    const { origin, routes } = await startServer()
    const keys = await panva.generateKeyPair('ES256')
    let nonce: string | undefined
    const send = async (method: string, url: string, { body, token }: { body?: object; token?: string } = {}) => {
      const attempt = async (): Promise<Response> => {
        const headers = {
          'Content-Type': 'application/json',
          DPoP: await panva.generateProof(keys, url, method, nonce, token),
          ...(token !== undefined && { Authorization: `DPoP ${token}` }),
        }
        const response = await fetch(url, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        nonce = response.headers.get('DPoP-Nonce') ?? nonce
        return response
      }
      const first = await attempt()
      return first.status === 401 && first.headers.has('DPoP-Nonce') ? attempt() : first
    }
    const login: unknown = await (await send('POST', `${routes}/token`, { body: { username: 'ada', password } })).json()
    expect(login).toMatchObject({ token_type: 'DPoP' })
    const body = { refresh_token: readTextMember(login, 'refresh_token') }
    const refreshed: unknown = await (await send('POST', `${routes}/token/refresh`, { body })).json()
    const token = readTextMember(refreshed, 'access_token')
    expect(await (await send('GET', `${origin}/reports?year=2030`, { token })).json()).toEqual({ userId: 7 })
    expect((await send('POST', `${routes}/token/revoke`, { token })).status).toBe(200)
    expect((await send('GET', `${origin}/reports`, { token })).status).toBe(401)
  })
})

describe('the library oauth4webapi as a client', () => {
  it('logs in, refreshes, and sends guarded requests', async () => {
    const { origin, routes } = await startServer()
    const client: oauth.Client = { client_id: 'app' }
    const insecure = { [oauth.allowInsecureRequests]: true }
    const handle = oauth.DPoP(client, await oauth.generateKeyPair('ES256'))
    const options = { DPoP: handle, ...insecure }
    // It processes a response only once, and gets the nonce from the refusal.
    const withNonce = async <T>(call: () => Promise<T>): Promise<T> =>
      call().catch((error: unknown) => {
        if (!oauth.isDPoPNonceError(error)) throw error
        return call()
      })

    const login = { issuer: origin, token_endpoint: `${routes}/token` }
    const logIn = async () => {
      const credentials = { username: 'ada', password }
      const response = await oauth.genericTokenEndpointRequest(
        login,
        client,
        oauth.None(),
        'password',
        credentials,
        options,
      )
      return oauth.processGenericTokenEndpointResponse(login, client, response)
    }
    const { refresh_token = '', token_type } = await withNonce(logIn)
    expect(token_type).toBe('dpop')

    const refresh = { issuer: origin, token_endpoint: `${routes}/token/refresh` }
    const response = await oauth.refreshTokenGrantRequest(refresh, client, oauth.None(), refresh_token, options)
    const { access_token } = await oauth.processRefreshTokenResponse(refresh, client, response)

    const url = new URL(`${origin}/reports`)
    const reports = await oauth.protectedResourceRequest(access_token, 'GET', url, undefined, undefined, options)
    expect(await reports.json()).toEqual({ userId: 7 })
    const stolen = oauth.protectedResourceRequest(access_token, 'GET', url, undefined, undefined, insecure)
    await expect(stolen).rejects.toMatchObject({
      cause: [
        { scheme: 'bearer', parameters: { error: 'invalid_token' } },
        { scheme: 'dpop', parameters: { error: 'invalid_token', algs: 'ES256 EdDSA' } },
      ],
    })
  })
})

import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { bearer, json } from '@jwt-auth/test-support/http-client'
import { parseJson, readTextMember } from '@jwt-auth/test-support/read-json'
import { describe, expect, it } from 'vitest'
import { config, GET, handler } from '../src/next.js'
import { admin, createClient, forbidden, invalid, listen, member, noHeader, readContract } from './support/programs.js'

// Calls the handlers as Next.js does: those of `pages/api` with the request of Node, those of `app` with a Request.
const callRoute = getRequestListener(GET)
const listening = listen(createServer((req, res) => (req.url === '/reports' ? callRoute(req, res) : handler(req, res))))

describe('the handlers for Next.js', () => {
  it('log in, serve the guarded route, revoke, and then reject the token', async () => {
    const send = createClient(await listening)
    const login = await send('POST', '/api/auth/token', json(admin))
    const token = bearer(readTextMember(parseJson(login.text), 'token'))
    expect(await send('GET', '/reports', token)).toMatchObject({ status: 200, text: '{"userId":2}' })
    expect(await send('POST', '/api/auth/token/revoke', token)).toMatchObject({ status: 200 })
    expect(readContract(await send('GET', '/reports', token))).toEqual(invalid)
  })

  it('reject a request without a token with 401, and a rule with 403', async () => {
    const send = createClient(await listening)
    expect(readContract(await send('GET', '/reports'))).toEqual(noHeader)
    const login = await send('POST', '/api/auth/token', json(member))
    const token = bearer(readTextMember(parseJson(login.text), 'token'))
    expect(readContract(await send('GET', '/reports', token))).toEqual(forbidden)
  })

  it('leave the body to jwt-auth', () => {
    expect(config).toEqual({ api: { bodyParser: false, externalResolver: true } })
  })
})

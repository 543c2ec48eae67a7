import type { AuthEvent } from '@jwt-auth/core'
import { createProver, type DpopProver } from '@jwt-auth/test-support/dpop-prover'
import { bearer, type HttpResponse, json } from '@jwt-auth/test-support/http-client'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import { describe, expect, it } from 'vitest'
import type { DpopOptions, JwtAuth, JwtAuthOptions, Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { issuer, startHost, type TestHost } from './support/test-host.js'
import { password } from './support/test-users.js'

const namespace = '/jwt-auth/v1'
const challenge = (error: string): string => `DPoP realm="jwt-auth", error="${error}", algs="ES256 EdDSA"`
const nonceForm = /^\d+\.[\w-]{43}$/

const startBoundHost = async (dpop: DpopOptions, options: Partial<JwtAuthOptions> = {}) => {
  const events: AuthEvent[] = []
  const host = await startHost(express5Framework, {
    options: { dpop, sessionRoutes: true, onEvent: (event) => events.push(event), ...options },
  })
  return { host, events }
}

/** A client with a key, which takes the nonces of the responses. */
const createClient = (host: TestHost, prover: DpopProver = createProver()) => {
  let nonce: string | undefined
  const prove = (method: string, path: string, changes: object = {}): string => {
    const iat = Math.floor(host.clock.now() / 1_000)
    return prover.prove({ htm: method, htu: `${issuer}${path}`, iat, nonce, ...changes })
  }
  const sendOnce = async (
    method: string,
    path: string,
    { body, proof, authorization }: Message,
  ): Promise<HttpResponse> => {
    const headers = { ...(proof && { DPoP: proof }), ...(authorization && { Authorization: authorization }) }
    const response = await host.send(method, path, body === undefined ? { headers } : json(body, headers))
    nonce = response.headers['dpop-nonce']?.toString() ?? nonce
    return response
  }
  const send = async (
    method: string,
    path: string,
    { body, accessToken }: { body?: object; accessToken?: string } = {},
  ) => {
    const authorization = accessToken && `DPoP ${accessToken}`
    const attempt = () => sendOnce(method, path, { body, authorization, proof: prove(method, path, { accessToken }) })
    const first = await attempt()
    return first.text.includes('jwt_auth_use_dpop_nonce') ? attempt() : first
  }
  return {
    prover,
    prove,
    sendOnce,
    send,
    logIn: async () => readBody(await send('POST', `${namespace}/token`, { body: { username: 'ada', password } })),
    refresh: (refresh_token: unknown) => send('POST', `${namespace}/token/refresh`, { body: { refresh_token } }),
  }
}

interface Message {
  readonly body?: object | undefined
  readonly proof?: string | undefined
  readonly authorization?: string | undefined
}

const readBody = ({ text }: HttpResponse): Readonly<Record<string, unknown>> => JSON.parse(text)

/** A host that binds all tokens, and a client that has logged in. */
const startBoundClient = async () => {
  const { host } = await startBoundHost({ bind: 'all-tokens' })
  const client = createClient(host)
  const { token, refresh_token } = await client.logIn()
  return { host, client, accessToken: String(token), refreshToken: String(refresh_token) }
}
const codeOf = (response: HttpResponse): unknown => readBody(response)['code'] ?? response.status

describe('a login with a proof', () => {
  it('is asked for a nonce first, and then binds the session, of which the access token is a bearer token', async () => {
    const { host, events } = await startBoundHost({ bind: 'refresh-tokens' })
    const client = createClient(host)
    const body = { username: 'ada', password }
    const asked = await client.sendOnce('POST', `${namespace}/token`, {
      body,
      proof: client.prove('POST', `${namespace}/token`),
    })
    expect([asked.status, codeOf(asked)]).toEqual([401, 'jwt_auth_use_dpop_nonce'])
    expect(asked.headers).toMatchObject({
      'www-authenticate': challenge('use_dpop_nonce'),
      'dpop-nonce': expect.stringMatching(nonceForm),
    })
    expect(events).toEqual([])

    const login = await client.logIn()
    expect(login).toMatchObject({ token_type: 'Bearer' })
    expect(decodeToken(String(login['token'])).claims).not.toHaveProperty('cnf')
    const { text } = await host.send('GET', `${namespace}/sessions`, bearer(String(login['token'])))
    expect(JSON.parse(text).sessions).toMatchObject([{ bound: true }])
  })

  it('is refused, without a look at the password, if the proof is invalid', async () => {
    const { host, events } = await startBoundHost({ bind: 'refresh-tokens' })
    const client = createClient(host)
    await client.logIn()
    events.length = 0
    const proof = client.prove('POST', `${namespace}/token`, { htu: 'https://evil.example/jwt-auth/v1/token' })
    const refused = await client.sendOnce('POST', `${namespace}/token`, {
      body: { username: 'ada', password: 'x' },
      proof,
    })
    expect([refused.status, codeOf(refused)]).toEqual([401, 'jwt_auth_invalid_dpop_proof'])
    expect(refused.headers).toMatchObject({ 'www-authenticate': challenge('invalid_dpop_proof') })
    expect(events).toEqual([])
  })

  it('uses its proof up only if the password is right, and a used proof is a failed login', async () => {
    const { host, events } = await startBoundHost({ bind: 'refresh-tokens' })
    const client = createClient(host)
    await client.logIn()
    const proof = client.prove('POST', `${namespace}/token`)
    const codes = []
    for (const guess of ['wrong', password, password]) {
      codes.push(
        codeOf(
          await client.sendOnce('POST', `${namespace}/token`, { body: { username: 'ada', password: guess }, proof }),
        ),
      )
    }
    expect(codes).toEqual(['jwt_auth_failed', 200, 'jwt_auth_invalid_dpop_proof'])
    expect(events.at(-1)).toMatchObject({ type: 'login_failed', reason: 'proof_used', userId: 7 })
  })
})

describe('a login without a proof', () => {
  const logIn = (host: TestHost) => host.send('POST', `${namespace}/token`, json({ username: 'ada', password }))
  it.each(['refresh-tokens', 'all-tokens'] as const)('opens a session that is not bound with bind %s', async (bind) => {
    const { host } = await startBoundHost({ bind })
    const login = readBody(await logIn(host))
    expect(login).toMatchObject({ token_type: 'Bearer' })
    const { refresh_token, token } = login
    const refreshed = await host.send('POST', `${namespace}/refresh`, json({ refresh_token }))
    expect(codeOf(refreshed)).toBe(200)
    expect(codeOf(await host.send('GET', `${namespace}/me`, bearer(String(token))))).toBe(200)
    // A client that had no key at its login may have one now.
    expect(codeOf(await createClient(host).refresh(readBody(refreshed)['refresh_token']))).toBe(200)
  })

  it('is refused if the service requires a key', async () => {
    const { host } = await startBoundHost({ bind: 'refresh-tokens', required: true })
    const refused = await logIn(host)
    expect([refused.status, codeOf(refused)]).toEqual([401, 'jwt_auth_invalid_dpop_proof'])
    await expect(host.auth.sessions.create(7)).rejects.toMatchObject({ code: 'jwt_auth_invalid_dpop_proof' })
    await expect(host.auth.checkDpopProof(new Request(issuer))).rejects.toMatchObject({
      code: 'jwt_auth_invalid_dpop_proof',
    })
    expect(await createClient(host).logIn()).toMatchObject({ token_type: 'Bearer' })
  })
})

describe('a refresh of a bound session', () => {
  it('needs a proof of its key, and a copy of its token ends nothing and uses nothing up', async () => {
    const { host, events } = await startBoundHost({ bind: 'refresh-tokens' })
    const [client, thief] = [createClient(host), createClient(host)]
    const first = (await client.logIn())['refresh_token']
    const second = readBody(await client.refresh(first))['refresh_token']
    host.clock.advanceSeconds(120)
    events.length = 0

    for (const copy of [first, second]) {
      const without = await thief.sendOnce('POST', `${namespace}/refresh`, { body: { refresh_token: copy } })
      const refused = await thief.refresh(copy)
      for (const response of [without, refused]) {
        expect([response.status, codeOf(response)]).toEqual([401, 'jwt_auth_invalid_dpop_proof'])
        expect(response.headers).toMatchObject({ 'www-authenticate': challenge('invalid_dpop_proof') })
      }
    }
    const local = { userAgent: null, ipAddress: expect.stringContaining('127.0.0.1') }
    expect(events.filter(({ type }) => type !== 'request_rejected')).toEqual(
      ['missing', 'other_key', 'missing', 'other_key'].map((mismatch) => ({
        type: 'refresh_token_without_key',
        mismatch,
        userId: 7,
        sessionId: expect.any(String),
        at: new Date(host.clock.now()),
        presentedFrom: local,
        lastRefreshedFrom: local,
      })),
    )
    expect(codeOf(await client.refresh(second))).toBe(200)
  })

  it('announces 20 copies of the tokens of a session a day without a proof, and as many with another key', async () => {
    const { host, events } = await startBoundHost({ bind: 'refresh-tokens' }, { rateLimits: false })
    const { refresh_token } = await createClient(host).logIn()
    const thief = createClient(host)
    for (let count = 0; count < 25; count += 1) {
      await thief.sendOnce('POST', `${namespace}/refresh`, { body: { refresh_token } })
    }
    for (let count = 0; count < 25; count += 1) await thief.refresh(refresh_token)
    host.clock.advanceSeconds(86_400)
    await thief.refresh(refresh_token)
    const mismatches = events.map((event) => event.type === 'refresh_token_without_key' && event.mismatch)
    expect(mismatches.filter(Boolean)).toEqual([...new Array(20).fill('missing'), ...new Array(21).fill('other_key')])
  })

  it('counts a copied token as a refused token, and the owner is not limited', async () => {
    const rateLimits = { tokens: { points: 2, durationSeconds: 60 } }
    const { host } = await startBoundHost({ bind: 'refresh-tokens' }, { rateLimits })
    const [client, thief] = [createClient(host), createClient(host)]
    const { refresh_token } = await client.logIn()
    const codes = []
    for (let count = 0; count < 3; count += 1) codes.push(codeOf(await thief.refresh(refresh_token)))
    expect(codes).toEqual(['jwt_auth_invalid_dpop_proof', 'jwt_auth_invalid_dpop_proof', 'jwt_auth_rate_limited'])
    expect(codeOf(await client.refresh(refresh_token))).toBe(200)
  })

  it('accepts a replaced token of its own key within the grace window, and a replay ends the session', async () => {
    const { host } = await startBoundHost({ bind: 'refresh-tokens' })
    const client = createClient(host)
    const first = (await client.logIn())['refresh_token']
    const [second, again] = [await client.refresh(first), await client.refresh(first)]
    expect(readBody(again)['refresh_token']).toBe(readBody(second)['refresh_token'])
    host.clock.advanceSeconds(31)
    expect(codeOf(await client.refresh(first))).toBe('jwt_auth_invalid_refresh_token')
    expect(codeOf(await client.refresh(readBody(second)['refresh_token']))).toBe('jwt_auth_invalid_refresh_token')
  })

  it('fails with 500, keeps the session and names the fix at an instance without the option', async () => {
    const { host, client, accessToken, refreshToken } = await startBoundClient()
    const other = await startHost(express5Framework, { storage: host.storage, clock: host.clock })
    const responses = [
      await other.send('POST', `${namespace}/refresh`, json({ refresh_token: refreshToken })),
      await other.send('GET', '/reports', bearer(accessToken)),
      await other.send('GET', `${namespace}/me`, { headers: { Authorization: `DPoP ${accessToken}` } }),
      await other.send('POST', `${namespace}/token/revoke`, bearer(accessToken)),
    ]
    expect(responses.map(codeOf)).toEqual(new Array(4).fill('jwt_auth_internal_error'))
    expect(other.reports.map(({ cause }) => String(cause))).toEqual(
      new Array(4).fill(expect.stringContaining('Set `dpop` to the same value on all instances')),
    )
    expect(codeOf(await client.refresh(refreshToken))).toBe(200)
  })
})

// The bare host of the tests removes the mount path from the URL, and keeps the whole URL nowhere.
const withWholeUrl = frameworks.filter(({ name }) => name !== 'node:http')

describe.each(byName(withWholeUrl))('a request with a bound access token on %s', (_, framework) => {
  const start = async () => {
    const host = await startHost(framework, { options: { dpop: { bind: 'all-tokens' }, sessionRoutes: true } })
    const client = createClient(host)
    const accessToken = String((await client.logIn())['token'])
    return { host, client, accessToken }
  }

  it('is accepted with a proof that names the token, on all routes and behind the guard', async () => {
    const { client, accessToken } = await start()
    const requests = [
      ['GET', '/reports'],
      ['POST', `${namespace}/token/validate`],
      ['GET', `${namespace}/me`],
      ['GET', `${namespace}/sessions`],
      ['POST', `${namespace}/token/revoke`],
    ] as const
    const codes = []
    for (const [method, path] of requests) codes.push((await client.send(method, path, { accessToken })).status)
    expect(codes).toEqual([200, 200, 200, 200, 200])
    expect(codeOf(await client.send('GET', `${namespace}/me`, { accessToken }))).toBe('jwt_auth_invalid_token')
  })

  it('is refused as a bearer token, without a proof, and with a proof of another key, token, method or URL', async () => {
    const { client, host, accessToken } = await start()
    const other = createClient(host)
    await other.logIn()
    const prove = (changes: object = {}) => client.prove('GET', '/reports', { accessToken, ...changes })
    const dpop = `DPoP ${accessToken}`
    const cases: readonly (readonly [Message, string])[] = [
      [{ authorization: `Bearer ${accessToken}` }, 'jwt_auth_invalid_token'],
      [{ authorization: `Bearer ${accessToken}`, proof: prove() }, 'jwt_auth_invalid_token'],
      [{ authorization: dpop }, 'jwt_auth_invalid_dpop_proof'],
      [{ authorization: dpop, proof: other.prove('GET', '/reports', { accessToken }) }, 'jwt_auth_invalid_token'],
      [{ authorization: dpop, proof: prove({ accessToken: 'x' }) }, 'jwt_auth_invalid_dpop_proof'],
      [{ authorization: dpop, proof: prove({ htm: 'POST' }) }, 'jwt_auth_invalid_dpop_proof'],
      [{ authorization: dpop, proof: prove({ htu: `${issuer}/reports/1` }) }, 'jwt_auth_invalid_dpop_proof'],
      [{ authorization: dpop, proof: prove({ nonce: undefined }) }, 'jwt_auth_use_dpop_nonce'],
      [
        { authorization: `DPoP ${(await createClient(host).logIn())['token']}`, proof: prove() },
        'jwt_auth_invalid_dpop_proof',
      ],
      [{ authorization: 'DPoP', proof: prove() }, 'jwt_auth_bad_auth_header'],
      [{ proof: prove() }, 'jwt_auth_no_auth_header'],
    ]
    for (const [message, code] of cases) {
      const response = await client.sendOnce('GET', '/reports', message)
      expect([response.status, codeOf(response)]).toEqual([401, code])
      expect(response.headers['www-authenticate']).toContain('DPoP realm="jwt-auth"')
    }
    const replayed = prove()
    const responses = [1, 2].map(() => client.sendOnce('GET', '/reports', { authorization: dpop, proof: replayed }))
    const codes = (await Promise.all(responses)).map(codeOf)
    expect(codes.toSorted()).toEqual([expect.anything(), 'jwt_auth_invalid_dpop_proof'])
  })

  it('gets a new nonce in the second half of the life of the last nonce', async () => {
    const { client, host, accessToken } = await start()
    const send = () => client.send('GET', '/reports', { accessToken })
    expect((await send()).headers).not.toHaveProperty('dpop-nonce')
    host.clock.advanceSeconds(150)
    expect((await send()).headers).toMatchObject({ 'dpop-nonce': expect.stringMatching(nonceForm) })
    expect((await send()).headers).not.toHaveProperty('dpop-nonce')
  })
})

describe.each(byName(withWholeUrl))('a route of the application on %s', (_, framework) => {
  const checks: Readonly<Record<string, (auth: JwtAuth) => Middleware>> = {
    '/forwarded': (auth) => (req, res, next) => {
      auth.checkDpopProof(req).then((thumbprint) => res.end(thumbprint), next)
    },
    '/sent': (auth) => (req, res) => {
      auth.checkDpopProof(req).then(
        (thumbprint) => res.end(thumbprint),
        (error) => auth.sendError(res, error),
      )
    },
    '/verified': (auth) => (req, res, next) => {
      auth.verifyRequest(req).then(() => res.end(), next)
    },
    '/guarded': (auth) => auth.guard({ errorHandling: 'forward' }),
  }

  it.each(Object.keys(checks))('gives a client the nonce with the error that it handles itself: %s', async (path) => {
    const routes = (auth: JwtAuth) => Object.entries(checks).map(([path, toRun]) => ({ path, run: toRun(auth) }))
    const host = await startHost(framework, { options: { dpop: { bind: 'all-tokens' } }, routes })
    const before = createClient(host)
    const accessToken = String((await before.logIn())['token'])
    const { sendOnce, prove } = createClient(host, before.prover)
    const authorization = `DPoP ${accessToken}`
    const attempt = () => sendOnce('GET', path, { authorization, proof: prove('GET', path, { accessToken }) })

    expect(await attempt()).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': challenge('use_dpop_nonce'), 'dpop-nonce': expect.stringMatching(nonceForm) },
    })
    expect((await attempt()).status).toBe(200)
  })
})

describe('the challenges of a service', () => {
  it.each([
    ['binds refresh tokens', { bind: 'refresh-tokens' }, 'Bearer realm="jwt-auth"'],
    ['binds all tokens', { bind: 'all-tokens' }, 'Bearer realm="jwt-auth", DPoP realm="jwt-auth", algs="ES256 EdDSA"'],
    [
      'requires that all tokens are bound',
      { bind: 'all-tokens', required: true },
      'DPoP realm="jwt-auth", algs="ES256 EdDSA"',
    ],
  ] as const)('that %s name the schemes that it accepts', async (_, dpop, expected) => {
    const { host } = await startBoundHost(dpop)
    expect((await host.send('GET', '/reports')).headers['www-authenticate']).toBe(expected)
  })
})

describe('auth.verifyRequest', () => {
  it('checks the proof of a Request by its method and its path', async () => {
    const { host, client, accessToken } = await startBoundClient()
    const toRequest = (proof: string) =>
      new Request('http://internal:8080/data?a=b', { headers: { Authorization: `DPoP ${accessToken}`, DPoP: proof } })
    expect(await host.auth.verifyRequest(toRequest(client.prove('GET', '/data', { accessToken })))).toMatchObject({
      userId: 7,
    })
    const asked = host.auth.verifyRequest(toRequest(client.prove('GET', '/data', { accessToken, nonce: undefined })))
    const error = await asked.catch((thrown: unknown) => thrown)
    expect(host.auth.toErrorResponse(error).headers.get('dpop-nonce')).toMatch(nonceForm)
  })

  it('checks the same request as often as the application wants', async () => {
    const { host, client, accessToken } = await startBoundClient()
    const headers = { Authorization: `DPoP ${accessToken}`, DPoP: client.prove('GET', '/data', { accessToken }) }
    const request = new Request(`${issuer}/data`, { headers })
    for (const checkUser of [false, true, false]) {
      expect(await host.auth.verifyRequest(request, { checkUser })).toMatchObject({ userId: 7 })
    }
    expect(await host.auth.checkDpopProof(request)).toBe(client.prover.thumbprint)
    await expect(host.auth.verifyRequest(new Request(`${issuer}/data`, { headers }))).rejects.toMatchObject({
      code: 'jwt_auth_invalid_dpop_proof',
    })
  })

  it('refuses a bound token of an object without method and URL, and names the fix', async () => {
    const { host, accessToken } = await startBoundClient()
    const headers = new Headers({ Authorization: `DPoP ${accessToken}` })
    await expect(host.auth.verifyRequest({ headers })).rejects.toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: expect.objectContaining({ message: expect.stringContaining('pass the whole Request') }),
    })
  })
})

describe('auth.sessions.create', () => {
  it('binds a session to the key whose proof auth.checkDpopProof has checked', async () => {
    const { host, client } = await startBoundClient()
    const request = (proof: string) => new Request(`${issuer}/login/sso`, { method: 'POST', headers: { DPoP: proof } })
    const proof = client.prove('POST', '/login/sso')
    const dpopThumbprint = await host.auth.checkDpopProof(request(proof))
    expect(dpopThumbprint).toBe(client.prover.thumbprint)
    await expect(host.auth.checkDpopProof(request(proof))).rejects.toMatchObject({
      code: 'jwt_auth_invalid_dpop_proof',
    })
    const { tokenType, refreshToken } = await host.auth.sessions.create(7, { dpopThumbprint })
    expect(tokenType).toBe('DPoP')
    expect(codeOf(await client.refresh(refreshToken))).toBe(200)
    expect(await host.auth.checkDpopProof(new Request(issuer))).toBeUndefined()
  })

  it.each([
    ['in hexadecimal digits', 'a'.repeat(64)],
    ['with padding', 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs='],
    ['with other last bits', 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xt'],
    ['in base64', 'NzbLsXh8uDCcd+6MNwXF4W/7noWXFZAfHkxZsRGC9Xs'],
  ])('refuses a thumbprint %s', async (_, dpopThumbprint) => {
    const { host } = await startBoundHost({ bind: 'all-tokens' })
    await expect(host.auth.sessions.create(7, { dpopThumbprint })).rejects.toThrow('43 characters of base64url')
  })

  it('refuses a thumbprint without the option dpop', async () => {
    const host = await startHost(express5Framework)
    const key = { dpopThumbprint: createProver().thumbprint }
    await expect(host.auth.sessions.create(7, key)).rejects.toThrow('needs the option `dpop`')
  })
})

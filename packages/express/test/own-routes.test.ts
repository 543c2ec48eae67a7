import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { shortenRefusalDelays } from '@jwt-auth/test-support'
import { createProver } from '@jwt-auth/test-support/dpop-prover'
import { callUntyped } from '@jwt-auth/test-support/outcome'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import express, { type Request, type Response } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { type AuthError, type JwtAuth, type JwtAuthOptions, jwtAuth } from '../src/index.js'
import { createTestUsers, password } from './support/test-users.js'

const issuer = 'https://api.example.com'

/** Starts an application that has routes of its own, and does not mount those of the service. */
const start = (
  options: Partial<JwtAuthOptions> = {},
  addRoutes: (app: express.Express, auth: JwtAuth) => void = () => {},
) => {
  const clock = createTestClock()
  const reports: AuthError[] = []
  const users = createTestUsers()
  const auth = jwtAuth({
    secret: testSecret,
    issuer,
    users,
    storage: memoryStorage({ quiet: true }),
    onError: (error) => reports.push(error),
    ...withSystem({ now: clock.now, startTimer: shortenRefusalDelays }),
    ...options,
  })
  const app = express()
  app.use(express.json())
  app.post('/login', async (req, res) => {
    const { user, accessToken, refreshToken } = await auth.login(req, {
      username: req.body.email,
      password: req.body.password,
    })
    res.json({ user, access: accessToken, refresh: refreshToken })
  })
  app.post('/refresh', async (req, res) => {
    const { accessToken, refreshToken } = await auth.refresh(req, req.body.refresh)
    res.json({ access: accessToken, refresh: refreshToken })
  })
  app.post('/logout', async (req, res) => {
    res.json({ outcome: await auth.logout(req, { refreshToken: req.body?.refresh }) })
  })
  app.get('/sessions', auth.guard(), async (req, res) => {
    res.json(await auth.sessions.list(auth.getAuth(req).userId))
  })
  addRoutes(app, auth)
  app.use(auth.errorHandler())
  return { app, auth, clock, reports, users, logIn: () => logIn(app) }
}

const credentials = { email: 'ada', password }

const logIn = async (app: express.Express) => (await request(app).post('/login').send(credentials)).body

const asBearer = (token: string) => ({ Authorization: `Bearer ${token}` })

describe('an application with routes of its own', () => {
  it('logs in, refreshes and logs out, and mounts no other route', async () => {
    const { app } = start()
    const login = await logIn(app)
    expect(login).toMatchObject({ user: { id: 7, email: 'ada@example.com' } })
    const refreshed = (await request(app).post('/refresh').send({ refresh: login.refresh })).body
    expect(await request(app).get('/sessions').set(asBearer(refreshed.access))).toMatchObject({ status: 200 })
    const logOut = () => request(app).post('/logout').set(asBearer(refreshed.access))
    expect((await logOut()).body).toEqual({ outcome: 'ended' })
    expect((await logOut()).body).toEqual({ outcome: 'already-ended' })
    expect(await request(app).post('/refresh').send({ refresh: refreshed.refresh })).toMatchObject({ status: 403 })
    expect(await request(app).post('/jwt-auth/v1/token').send(credentials)).toMatchObject({ status: 404 })
  })

  it('keeps tokens out of caches', async () => {
    const { app } = start()
    const login = await request(app).post('/login').send(credentials)
    expect(login.headers).toHaveProperty('cache-control', 'no-store')
  })

  it('sends no credential version of a user', async () => {
    const { logIn } = start()
    expect((await logIn()).user).not.toHaveProperty('credentialVersion')
  })

  it('logs out by the refresh token after the access token has expired', async () => {
    const { app, clock, logIn } = start()
    const { access, refresh } = await logIn()
    clock.advanceMs(3_600_000)
    const post = (body: object) => request(app).post('/logout').set(asBearer(access)).send(body)
    expect((await post({})).body).toEqual({ outcome: 'unknown' })
    expect((await post({ refresh })).body).toEqual({ outcome: 'ended' })
  })

  it.each([
    ['/login', { password }, 400, { code: 'jwt_auth_invalid_request', data: { params: ['username'] } }],
    ['/login', { email: ['ada'], password: 7 }, 400, { data: { params: ['username', 'password'] } }],
    ['/login', { email: 'ada', password: 'x'.repeat(4_097) }, 400, { data: { params: ['password'] } }],
    ['/login', { email: 'ada', password: 'wrong' }, 403, { code: 'jwt_auth_failed' }],
    ['/refresh', {}, 400, { data: { params: ['refresh_token'] } }],
    ['/refresh', { refresh: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln' }, 403, { code: 'jwt_auth_invalid_refresh_token' }],
    ['/logout', { refresh: 'unknown' }, 200, { outcome: 'unknown' }],
    ['/logout', { refresh: 7 }, 400, { code: 'jwt_auth_invalid_request' }],
    ['/logout', {}, 200, { outcome: 'unknown' }],
  ])('responds at %s to %o with %i', async (path, body, status, expected) => {
    expect(await request(start().app).post(path).send(body)).toMatchObject({ status, body: expected })
  })

  it('has the limits of the routes of the service', async () => {
    const { app } = start({}, (host, auth) => host.use(auth))
    const fail = (path: string) => request(app).post(path).send({ email: 'ada', username: 'ada', password: 'wrong' })
    for (let count = 0; count < 5; count += 1) {
      expect(await fail('/login')).toMatchObject({ status: 403 })
      expect(await fail('/jwt-auth/v1/token')).toMatchObject({ status: 403 })
    }
    expect(await fail('/login')).toMatchObject({ status: 429, headers: { 'retry-after': '10800' } })
  })

  it('stores the device and the address of the options', async () => {
    const { app, logIn } = start(
      { clientAddress: () => '203.0.113.9', device: () => ({ label: 'from the option' }) },
      (host, auth) => {
        host.post('/open', async (req, res) => {
          auth.sendTokens(res, await auth.openSession(req, 7))
        })
      },
    )
    const { access } = await logIn()
    expect(await request(app).post('/open')).toMatchObject({ status: 200, body: { user_id: 7 } })
    const sessions = (await request(app).get('/sessions').set(asBearer(access))).body
    expect(sessions).toMatchObject([{ label: 'from the option' }, { label: 'from the option' }])
  })

  it('limits attempts of its own by address or by key', async () => {
    const { app } = start({ clientAddress: (req) => req.headers['x-from'] }, (host, auth) => {
      host.post('/code', async (req, res) => {
        await auth.limit(req, 'code', { points: 1, durationSeconds: 60, key: req.body.key })
        res.json({})
      })
    })
    const post = (from: string, body = {}) => request(app).post('/code').set('X-From', from).send(body)
    const responses = [
      await post('192.0.2.1'),
      await post('192.0.2.1'),
      await post('192.0.2.2'),
      await post('192.0.2.1', { key: 7 }),
      await post('192.0.2.2', { key: 7 }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 429, 200, 200, 429])
  })

  it.each([
    ['a token', 'jwtauth_rt_x', 'the options of logout must be an object; received a string'],
    ['an object of tokens', { token: 'jwtauth_rt_x' }, 'logout has no option `token`'],
    ['null', null, 'the options of logout must be an object; received null'],
  ])('ends no session quietly when logout receives %s', async (_, given, message) => {
    const { app } = start({}, (host, auth) =>
      host.post('/wrong', async (req, res) => {
        const outcome = await Promise.resolve(callUntyped(auth.logout, req, given)).catch(({ message }) => message)
        res.json(outcome)
      }),
    )
    expect((await request(app).post('/wrong')).body).toContain(message)
  })

  it('reports a failure of the server once, also when the application responds itself', async () => {
    const users = Object.assign(createTestUsers(), { findByUsername: async () => Object({ id: 7 }) })
    const { app, reports } = start({ users }, (host, auth) => {
      host.post('/own', async (req, res) => {
        await auth.login(req, { username: 'ada', password }).catch(() => res.sendStatus(500))
      })
    })
    const causes = () => reports.map(({ code, cause }) => [code, String(cause)])
    const fault = ['jwt_auth_internal_error', expect.stringContaining('a user whose `email` is missing')]
    expect(await request(app).post('/own')).toMatchObject({ status: 500 })
    expect(causes()).toEqual([fault])
    expect(await request(app).post('/login').send(credentials)).toMatchObject({ status: 500 })
    expect(causes()).toEqual([fault, fault])
  })

  it.each([undefined, { username: 'ada', password }])('names the call that received no request: %o', async (given) => {
    await expect(callUntyped(start().auth.login, given)).rejects.toThrow(
      'auth.login needs the request: write auth.login(req, { username, password }).',
    )
  })
})

describe('a session that opens without a password', () => {
  const openAfter =
    (change: (users: ReturnType<typeof createTestUsers>) => void, users: ReturnType<typeof createTestUsers>) =>
    (app: express.Express, auth: JwtAuth) => {
      app.post('/two-steps', async (req: Request, res: Response) => {
        const { id } = await auth.checkCredentials(req, { username: req.body.email, password: req.body.password })
        change(users)
        auth.sendTokens(res, await auth.openSession(req, id))
      })
    }

  it('names the id that is missing', async () => {
    const { auth } = start()
    await expect(callUntyped(auth.openSession, new IncomingMessage(new Socket()))).rejects.toThrow('option `userId`')
  })

  it('opens after a check of the password', async () => {
    const users = createTestUsers()
    const { app } = start(
      { users },
      openAfter(() => {}, users),
    )
    const post = (body: object) => request(app).post('/two-steps').send(body)
    expect(await post(credentials)).toMatchObject({ status: 200, body: { user_id: 7 } })
    expect(await post({ ...credentials, password: 'wrong' })).toMatchObject({ status: 403 })
    expect(await post({ email: 'dora', password })).toMatchObject({ status: 403 })
  })

  it('does not open if the password has changed since it was checked in the same request', async () => {
    const users = createTestUsers()
    const { app } = start(
      { users },
      openAfter(() => users.change('ada', { credentialVersion: 'new' }), users),
    )
    expect(await request(app).post('/two-steps').send(credentials)).toMatchObject({
      status: 403,
      body: { code: 'jwt_auth_failed' },
    })
  })

  it('replaces all others after a password change', async () => {
    const { app, logIn } = start({}, (host, auth) => {
      host.put('/password', auth.guard(), async (req, res) => {
        const { id } = await auth.requirePassword(req, req.body.password)
        auth.sendTokens(res, await auth.replaceSessions(req, id, { reason: 'password_changed' }))
      })
    })
    const { access } = await logIn()
    const other = await logIn()
    const put = (given: string) => request(app).put('/password').set(asBearer(access)).send({ password: given })
    expect(await put('wrong')).toMatchObject({ status: 403, body: { code: 'jwt_auth_failed' } })
    const { body } = await put(password)
    const statuses = await Promise.all(
      [access, other.access, body.token].map(
        async (token) => (await request(app).get('/sessions').set(asBearer(token))).status,
      ),
    )
    expect(statuses).toEqual([401, 401, 200])
  })
})

describe('the password of a request', () => {
  it('is hashed by the options of the users, with the priority of the request', async () => {
    const calls: unknown[] = []
    const users = createTestUsers()
    const hashPassword = async (...call: unknown[]) => `hash ${calls.push(call)}`
    const { app, logIn } = start({ users: { ...users, hashPassword } }, (host, auth) => {
      host.post('/hash', auth.guard({ optional: true }), async (req, res) => {
        res.json(await auth.hashPassword(req, req.body.password))
      })
    })
    const { access } = await logIn()
    const post = () => request(app).post('/hash').send({ password: 'new' })
    expect((await post().set(asBearer(access))).body).toBe('hash 1')
    expect((await post()).body).toBe('hash 2')
    const signal = expect.any(AbortSignal)
    const network = expect.stringContaining('127.0.0.1')
    expect(calls).toEqual([
      ['new', { priority: { isKnown: true, network, user: expect.stringContaining('7'), signal } }],
      ['new', { priority: { isKnown: false, network, signal } }],
    ])
  })

  it('is not hashed by a directory without the method', async () => {
    const { app } = start({ users: createTestUsers() }, (host, auth) => {
      host.post('/hash', async (req, res) => {
        await auth.hashPassword(req, 'new').catch((error: Error) => res.json(error.message))
      })
    })
    expect((await request(app).post('/hash')).body).toContain(
      'auth.hashPassword needs a method `hashPassword` of `users`',
    )
  })
})

describe('refresh tokens in cookies of routes of the application', () => {
  const asCookie = { 'X-JWT-Auth-Transport': 'cookie', 'Sec-Fetch-Site': 'same-origin' }
  const post = (app: express.Express, path: string, headers: object, body: object = {}) =>
    request(app)
      .post(path)
      .set({ ...asCookie, ...headers })
      .send(body)

  it('are set, rotated and deleted, and are in no body', async () => {
    const { app } = start({ cookies: {} })
    const login = await post(app, '/login', {}, credentials)
    expect(login.body.refresh).toBe('')
    const [cookie = ''] = String(login.headers['set-cookie']).split(';')
    const refreshed = await post(app, '/refresh', { Cookie: cookie })
    expect(refreshed.body).toEqual({ access: expect.any(String), refresh: '' })
    const [next = ''] = String(refreshed.headers['set-cookie']).split(';')
    expect(next).not.toBe(cookie)
    const logout = await post(app, '/logout', { Cookie: next })
    expect(logout.body).toEqual({ outcome: 'ended' })
    expect(String(logout.headers['set-cookie'])).toContain('Max-Age=0')
  })

  it('are set once, also by sendTokens', async () => {
    const { app } = start({ cookies: {} }, (host, auth) => {
      host.post('/open', async (req, res) => {
        auth.sendTokens(res, await auth.openSession(req, 7))
      })
    })
    const { headers, body } = await post(app, '/open', {})
    expect(headers['set-cookie']).toHaveLength(1)
    expect(String(headers['set-cookie'])).toContain('jwtauth_rt_')
    expect(body).not.toHaveProperty('refresh_token')
  })

  it('are refused to the page of another site before the password is checked', async () => {
    const { app, users } = start({ cookies: {} })
    const response = await post(app, '/login', { 'Sec-Fetch-Site': 'cross-site' }, credentials)
    expect(response).toMatchObject({ status: 403, body: { code: 'jwt_auth_untrusted_origin' } })
    expect(users.calls).toEqual([])
  })

  it('need a response before a session ends or opens', async () => {
    const { app, auth } = start({ cookies: {} }, (host, service) => {
      host.post('/alone', async (req, res) => {
        Reflect.deleteProperty(req, 'res')
        const calls = [service.replaceSessions(req, 7), service.logout(req, { refreshToken: req.body.refresh })]
        const causes = calls.map((call) => call.catch((error: AuthError) => String(error.cause)))
        res.end((await Promise.all(causes)).join('\n'))
      })
    })
    const { refresh } = await logIn(app)
    const before = await auth.sessions.list(7)
    expect((await post(app, '/alone', {}, { refresh })).text).toMatch(/(.*has no response `req\.res`.*\n?){2}/)
    expect(await auth.sessions.list(7)).toEqual(before)
  })

  it('are set after verifyRequest', async () => {
    const { app } = start({ cookies: {} }, (host, auth) => {
      host.post('/replace', async (req, res) => {
        const { userId } = await auth.verifyRequest(req)
        auth.sendTokens(res, await auth.replaceSessions(req, userId))
      })
    })
    const { access } = await logIn(app)
    const { headers } = await post(app, '/replace', { Authorization: `Bearer ${access}` })
    expect(headers['set-cookie']).toEqual([expect.stringContaining('jwtauth_rt_')])
  })
})

describe('the DPoP proof of a route of the application', () => {
  const startBound = () => {
    const prover = createProver()
    const host = start({ dpop: { bind: 'all-tokens' } }, (app, auth) => {
      app.post('/open', async (req, res) => {
        await auth.checkDpopProof(req)
        auth.sendTokens(res, await auth.openSession(req, 7))
      })
      app.post('/replace', auth.guard(), async (req, res) => {
        auth.sendTokens(res, await auth.replaceSessions(req, auth.getAuth(req).userId))
      })
    })
    let nonce: string | undefined
    const send = async (path: string, accessToken?: string): Promise<request.Response> => {
      const iat = Math.floor(host.clock.now() / 1_000)
      const proof = prover.prove({
        htm: 'POST',
        htu: `${issuer}${path}`,
        iat,
        nonce,
        ...(accessToken && { accessToken }),
      })
      const scheme = accessToken === undefined ? {} : { Authorization: `DPoP ${accessToken}` }
      const response = await request(host.app)
        .post(path)
        .set({ DPoP: proof, ...scheme })
        .send(credentials)
      const isChallenge = JSON.stringify(response.body).includes('use_dpop_nonce')
      nonce = response.headers['dpop-nonce'] ?? nonce
      return isChallenge ? send(path, accessToken) : response
    }
    return { ...host, send }
  }

  it('binds a session once, after it was checked before', async () => {
    const { send, auth } = startBound()
    expect(await send('/open')).toMatchObject({ status: 200, body: { user_id: 7 } })
    expect(await auth.sessions.list(7)).toMatchObject([{ isBound: true }])
  })

  it('that a guard has used up binds the session that replaces others', async () => {
    const { send, auth } = startBound()
    const { body } = await send('/open')
    expect(await send('/replace', body.token)).toMatchObject({ status: 200, body: { user_id: 7 } })
    expect(await auth.sessions.list(7)).toMatchObject([{ isBound: true }])
  })
})

describe('the option readAuthorization', () => {
  it('reads the token of every route elsewhere, and ignores the usual header', async () => {
    const readAuthorization: JwtAuthOptions['readAuthorization'] = (req) => req.headers['x-authorization']?.toString()
    const { app, logIn } = start({ readAuthorization })
    const { access } = await logIn()
    const get = (header: string) => request(app).get('/sessions').set(header, `Bearer ${access}`)
    expect(await get('X-Authorization')).toMatchObject({ status: 200 })
    expect(await get('Authorization')).toMatchObject({ status: 401, body: { code: 'jwt_auth_no_auth_header' } })
    const logOut = () => request(app).post('/logout').set('X-Authorization', `Bearer ${access}`)
    expect((await logOut()).body).toEqual({ outcome: 'ended' })
  })

  it.each([
    ['throws', () => JSON.parse('{')],
    ['returns no text', () => 7],
  ])('that %s fails the request with 500, and is named in the report', async (_, readAuthorization) => {
    // As in JavaScript.
    const { app, reports } = start({ readAuthorization: readAuthorization as () => string })
    const response = await request(app).get('/sessions').set(asBearer('x'))
    expect(response).toMatchObject({ status: 500, body: { code: 'jwt_auth_internal_error' } })
    expect(JSON.stringify(response.body)).not.toContain('readAuthorization')
    expect(reports).toMatchObject([{ detail: expect.stringContaining('`readAuthorization`') }])
    expect(await request(app).post('/logout').set(asBearer('x'))).toMatchObject({ status: 500 })
  })
})

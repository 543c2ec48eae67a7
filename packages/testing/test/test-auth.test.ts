import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { type JwtAuth, jwtAuth, type User } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import express from 'express'
import request from 'supertest'
import { describe, expect, expectTypeOf, it } from 'vitest'
import type { SignedInOptions } from '../src/headers-for.js'
import { attackRoutes, createTestAuth, headersFor } from '../src/index.js'
import { users } from './support/routes.js'

const claims = ({ role }: (typeof users)[number]) => ({ role, scope: ['reports:read'] })

const serve = <U extends User, C extends object>(auth: JwtAuth<U, C>) =>
  express()
    .use(auth)
    .get('/', auth.guard(), (req, res) => void res.json(auth.getAuth(req)))

const login = (app: express.Express, username: string, password: string) =>
  request(app).post('/jwt-auth/v1/token').send({ username, password })

describe('createTestAuth', () => {
  it('logs the users of a list in with their password, and nobody else', async () => {
    const list = [...users]
    const app = serve(createTestAuth({ users: list }))
    const { body } = await login(app, 'ann', 'correct horse').expect(200)
    expect(body).toMatchObject({ user_id: 1, user_email: 'ann@example.com' })

    await login(app, 'ann', 'battery staple').expect(403)
    await login(app, 'bob@example.com', 'battery staple').expect(403)
    list.push({ id: 3, email: 'cy@example.com', username: 'cy', password: 'x', role: 'editor' })
    await login(app, 'cy', 'x').expect(200)
    list.splice(2, 1)
    await login(app, 'cy', 'x').expect(403)
  })

  it('logs no user in who is disabled or has no password', async () => {
    const list = [
      { id: 1, email: 'ann@example.com', password: 'x', disabled: true },
      { id: 2, email: 'bob@example.com' },
    ]
    const app = serve(createTestAuth({ users: list }))
    await login(app, 'ann@example.com', 'x').expect(403)
    await login(app, 'bob@example.com', 'undefined').expect(403)
  })

  // The queue has room for fewer hashes.
  it('hashes nothing, so that hundreds of passwords are checked concurrently', async () => {
    const auth = createTestAuth({ users, rateLimits: false, onError: () => {} })
    const req = new IncomingMessage(new Socket())
    const checks = Array.from({ length: 300 }, () =>
      auth.checkCredentials(req, { username: 'ann', password: 'correct horse' }),
    )
    expect(new Set(await Promise.all(checks))).toEqual(new Set([users[0]]))
  })

  it('has a clock that stands still until the test moves it', async () => {
    const auth = createTestAuth({ users, accessTokenLifetimeSeconds: 60 })
    const app = serve(auth)
    const headers = await headersFor(auth, 1)
    const start = auth.clock.now().getTime()
    auth.clock.advanceSeconds(59)
    await request(app).get('/').set(headers).expect(200)
    auth.clock.advanceSeconds(1)
    const { body } = await request(app).get('/').set(headers).expect(401)

    expect(body.message).toBe('Expired token')
    expect(auth.clock.now().getTime() - start).toBe(60_000)
    auth.clock.advanceSeconds(-1)
    await request(app).get('/').set(headers).expect(200)
  })

  it('has the types of jwtAuth', () => {
    const auth = createTestAuth({ users, claims })
    expectTypeOf(auth.getAuth).returns.toHaveProperty('userId').toEqualTypeOf<number>()
    expectTypeOf(auth.getUser).returns.toEqualTypeOf<(typeof users)[number]>()
    expectTypeOf<ReturnType<typeof auth.getAuth>['claims']['role']>().toEqualTypeOf<string>()
  })
})

describe('headersFor', () => {
  it('resolves to the headers of a user with the claims of the service', async () => {
    const auth = createTestAuth({ users, claims })
    const { body } = await request(serve(auth))
      .get('/')
      .set(await headersFor(auth, 2))
      .expect(200)
    expect(body).toMatchObject({ userId: 2, claims: { role: 'editor', scope: ['reports:read'] } })
  })

  it('replaces single claims, for any service', async () => {
    const storage = memoryStorage({ quiet: true })
    const findById = async (id: number) => users.find((user) => user.id === id)
    const directory = { findById, findByUsername: async () => undefined, verifyPassword: async () => false }
    const auth = jwtAuth({
      secret: 'kR3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2e',
      issuer: 'https://a.example',
      users: directory,
      storage,
      claims,
    })
    const headers = await headersFor(auth, 1, { claims: { role: 'auditor' } })
    const { body } = await request(serve(auth)).get('/').set(headers).expect(200)
    expect(body).toMatchObject({ userId: 1, claims: { role: 'auditor', scope: ['reports:read'] } })

    expectTypeOf(headersFor<(typeof users)[number], ReturnType<typeof claims>>)
      .parameter(2)
      .toEqualTypeOf<SignedInOptions<ReturnType<typeof claims>> | undefined>()
  })

  it('opens a session with attributes, which the option `claims` receives', async () => {
    const auth = createTestAuth({ users, claims: (_, { attributes }) => ({ tenant: attributes['tenant'] }) })
    const headers = await headersFor(auth, 1, { attributes: { tenant: 'north' }, claims: {} })
    const { body } = await request(serve(auth)).get('/').set(headers).expect(200)
    expect(body).toMatchObject({ userId: 1, claims: { tenant: 'north' } })
    expect(await auth.sessions.list(1)).toMatchObject([{ attributes: { tenant: 'north' } }])
  })

  it('rejects for an unknown user', async () => {
    await expect(headersFor(createTestAuth({ users, onError: () => {} }), 7)).rejects.toMatchObject({
      code: 'jwt_auth_failed',
    })
  })
})

describe('the headers for a service with readAuthorization', () => {
  const behindBasic = createTestAuth({
    users,
    readAuthorization: ({ headers }) => headers['x-authorization']?.toString(),
  })

  it('are those that it reads, also for bad credentials', async () => {
    const app = serve(behindBasic)
    const headers = await headersFor(behindBasic, 1)
    expect(headers).toEqual({ 'x-authorization': expect.stringMatching(/^Bearer /) })
    await request(app).get('/').set(headers).set('Authorization', 'Basic YTpi').expect(200)
    await attackRoutes(app, { auth: behindBasic, userId: 1 })
  })

  it('are Authorization if it reads several headers, or another scheme too', async () => {
    const ofToken = createTestAuth({
      users,
      readAuthorization: (req) => req.headers.authorization?.replace(/^Token /, 'Bearer '),
    })
    await request(serve(ofToken))
      .get('/')
      .set(await headersFor(ofToken, 1))
      .expect(200)
    const ofSocket = createTestAuth({
      users,
      readAuthorization: ({ headers }) => headers['sec-websocket-protocol'] ?? headers.authorization,
    })
    expect(Object.keys(await headersFor(ofSocket, 1))).toEqual(['sec-websocket-protocol'])
  })

  it('are refused if it returns no whole header', async () => {
    const auth = createTestAuth({ users, readAuthorization: ({ headers }) => `Bearer ${headers['x-token']}` })
    await expect(headersFor(auth, 1)).rejects.toThrow('`readAuthorization` that returns the whole value of a header')
  })
})

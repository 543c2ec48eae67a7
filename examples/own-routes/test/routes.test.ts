import { readFile } from 'node:fs/promises'
import { hashPassword, type JwtAuthOptions, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { findRedis, shortenRefusalDelays } from '@jwt-auth/test-support'
import { hashCheaply } from '@jwt-auth/test-support/cheap-hashes'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createTestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import express, { type Express } from 'express'
import { createClient } from 'redis'
import request from 'supertest'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import * as routes from '../src/routes.js'

const password = 'correct horse battery staple'
const newPassword = 'another long passphrase'
const passwordHash = await hashPassword(password, { cost: 4 })

beforeAll(hashCheaply)

const createAccounts = (): routes.Accounts => {
  const rows = (['admin', 'member'] as const).map(
    (role, at): routes.Account => ({ id: at + 1, username: role, email: `${role}@example.com`, passwordHash, role }),
  )
  return {
    findByUsername: async (name) => rows.find(({ username }) => username === name),
    findById: async (id) => rows[id - 1],
    insert: async (columns) => rows.push({ ...columns, id: rows.length + 1, email: 'new@example.com', role: 'member' }),
    setPassword: async (id, columns) => {
      const row = rows[id - 1]
      if (row !== undefined) rows[id - 1] = { ...row, ...columns }
    },
  }
}

/** Starts an application with the routes of all tasks. */
const start = () => {
  const clock = createTestClock()
  const accounts = createAccounts()
  const app = express()
  const options = { secret: testSecret, issuer: 'https://api.example.com', storage: memoryStorage({ quiet: true }) }
  const system = withSystem({ now: clock.now, startTimer: shortenRefusalDelays })
  const auth = routes.addService(app, accounts, { ...options, ...system })
  routes.addGuard(app, auth)
  routes.addRoles(app, auth)
  routes.addCurrentUser(app, auth)
  routes.addLogin(app, auth)
  routes.addRefresh(app, auth)
  routes.addLogout(app, auth)
  routes.addLogoutEverywhere(app, auth)
  routes.addPasswordChange(app, auth, accounts)
  routes.addSignUp(app, auth, accounts)
  routes.addSecondFactor(app, auth, async (_, code) => code === '123456')
  routes.addRememberedLogin(app, auth)
  app.use(auth.errorHandler())

  const post = (path: string, body: object = {}) => request(app).post(path).send(body)
  const send = (method: 'get' | 'post' | 'put', path: string, token: string, body?: object) =>
    request(app)[method](path).auth(token, { type: 'bearer' }).send(body)
  const logIn = async (email = 'member', given = password) => {
    const response = await post('/login', { email, password: given })
    return { status: response.status, body: response.body, ...response.body.tokens }
  }
  return { auth, clock, post, send, logIn }
}

describe('the program of a task', () => {
  it('has as many lines as here', async () => {
    const source = await readFile(new URL('../src/routes.ts', import.meta.url), 'utf8')
    const [tasks = ''] = source.split('// Other programs')
    const functions = [...tasks.matchAll(/^export const (\w+) = [\s\S]*?=> \{\n([\s\S]*?)\n\}$/gm)]
    expect(Object.fromEntries(functions.map(([, name, body = '']) => [name, body.split('\n').length]))).toEqual({
      addService: 7,
      addGuard: 1,
      addRoles: 3,
      addCurrentUser: 4,
      addLogin: 5,
      addRefresh: 4,
      addLogout: 4,
      addLogoutEverywhere: 4,
      addPasswordChange: 6,
      addSignUp: 8,
      testGuard: 3,
      createInstance: 3,
      addSecondFactor: 7,
    })
  })

  it('mounts the login of the service', async () => {
    const { post, send } = start()
    const { body } = await post('/jwt-auth/v1/token', { username: 'member', password }).expect(200)
    await send('get', '/reports', body.token).expect(200, { userId: 2 })
  })

  it('guards by roles and by owner, and finds the current user', async () => {
    const { send, logIn } = start()
    const [admin, member] = [await logIn('admin'), await logIn('member')]
    await send('get', '/admin', admin.access).expect(204)
    await send('get', '/admin', member.access).expect(403)
    await send('get', '/users/2', member.access).expect(204)
    await send('get', '/users/1', member.access).expect(403)
    await send('get', '/profile', member.access).expect(200, { id: 2, email: 'member@example.com' })
  })

  it('logs in, refreshes and logs out at routes of the application', async () => {
    const { post, send, logIn } = start()
    const login = await logIn()
    expect(login.body).toMatchObject({ user: { id: 2 } })
    expect(await logIn('member', 'wrong')).toMatchObject({ status: 403 })
    await post('/login').expect(400)
    const { tokens } = (await post('/refresh', { refresh: login.refresh }).expect(200)).body
    await send('get', '/reports', tokens.access).expect(200)
    await post('/logout', { refresh: tokens.refresh }).expect(204)
    await send('get', '/reports', tokens.access).expect(401)
    const other = await logIn()
    await send('post', '/logout', other.access).expect(204)
    await send('get', '/reports', other.access).expect(401)
  })

  it('logs a user out everywhere', async () => {
    const { send, logIn } = start()
    const [one, two] = [await logIn(), await logIn()]
    await send('post', '/logout-everywhere', one.access).expect(204)
    for (const { access } of [one, two]) await send('get', '/reports', access).expect(401)
  })

  it('changes a password, which ends the other sessions', async () => {
    const { send, logIn } = start()
    const [own, other] = [await logIn(), await logIn()]
    const change = (given: string) =>
      send('put', '/password', own.access, { password: given, new_password: newPassword })
    await change('wrong').expect(403)
    const { body } = await change(password).expect(200)
    await send('get', '/reports', body.token).expect(200)
    for (const { access } of [own, other]) await send('get', '/reports', access).expect(401)
    expect(await logIn('member', newPassword)).toMatchObject({ status: 200 })
  })

  it('signs up ten users of a network', async () => {
    const { post, logIn } = start()
    const signUp = (username: string) => post('/sign-up', { username, password })
    for (let count = 0; count < 10; count += 1) await signUp(`User${count}`).expect(200)
    await signUp('late').expect(429)
    expect(await logIn('user3')).toMatchObject({ status: 200 })
  })

  it('asks for a second factor, and allows five attempts of each user', async () => {
    const { auth, post } = start()
    const logIn = (code: string, given = password, email = 'member') =>
      post('/login/code', { email, password: given, code })
    await logIn('123456', 'wrong').expect(403)
    const { body } = await logIn('123456').expect(200)
    expect(await auth.verify(body.token)).toMatchObject({ claims: { amr: ['pwd', 'otp'] } })
    for (let count = 1; count < 5; count += 1) await logIn('654321').expect(403)
    await logIn('123456').expect(429)
    await logIn('123456', password, 'admin').expect(200)
  })

  it('tests a guard', async () => {
    const createApp: Parameters<typeof routes.testGuard>[0] = (auth) =>
      express().get('/reports', auth.guard(), (_, res) => void res.sendStatus(200))
    await routes.testGuard(createApp)
    await expect(routes.testGuard(() => express())).rejects.toThrow('404')
  })
})

const { name, url, missing } = await findRedis()
describeEach([{ name, url, missing }], 'two instances over $name', ({ url }) => {
  it('count failed logins together', async () => {
    const client = await createClient({ url: `${url}`, database: 7 }).connect()
    onTestFinished(async () => {
      await client.flushDb()
      await client.close()
    })
    const apps: Express[] = []
    const { findByUsername, findById } = createAccounts()
    const issuer = `https://${Date.now()}.example.com`
    for (const _ of ['first', 'second']) {
      const options = {
        ...withSystem({ startTimer: shortenRefusalDelays }),
        callTimeoutMs: 60_000,
        secret: testSecret,
        issuer,
        users: passwordUsers({ findByUsername, findById }),
      }
      apps.push(express().use(await routes.createInstance(client, options)))
    }
    const statuses: number[] = []
    for (let count = 0; count < 12; count += 1) {
      const sent = request(apps[count % 2] ?? express()).post('/jwt-auth/v1/token')
      statuses.push((await sent.send({ username: 'member', password: 'wrong' })).status)
    }
    expect(statuses).toEqual([...Array(10).fill(403), 429, 429])
  })
})

describe('a login that is not remembered', () => {
  it('ends after a day, and another one stays', async () => {
    const { clock, post } = start()
    const logIn = async (remember: boolean): Promise<string> =>
      (await post('/login/remembered', { email: 'member', password, remember }).expect(200)).body.refresh_token
    const [short, long] = [await logIn(false), await logIn(true)]
    clock.advanceMs(86_400_000)
    await post('/refresh', { refresh: short }).expect(403)
    await post('/refresh', { refresh: long }).expect(200)
  })
})

describe('an access token elsewhere', () => {
  it.each<[string, JwtAuthOptions['readAuthorization'], (token: string) => Record<string, string>]>([
    [
      'in X-Authorization',
      routes.behindBasic,
      (token) => ({ Authorization: 'Basic eA==', 'X-Authorization': `Bearer ${token}` }),
    ],
    ['in the scheme Token', routes.withTokenScheme, (token) => ({ Authorization: `Token ${token}` })],
    [
      'in the protocol of a WebSocket',
      routes.fromWebSocket,
      (token) => ({ 'Sec-WebSocket-Protocol': `reports, ${token}` }),
    ],
    ['in Authorization beside WebSockets', routes.fromWebSocket, (token) => ({ Authorization: `Bearer ${token}` })],
  ])('is accepted %s', async (_, readAuthorization, toHeaders) => {
    const { findByUsername, findById } = createAccounts()
    const auth = jwtAuth({
      ...{ secret: testSecret, issuer: 'https://api.example.com', storage: memoryStorage({ quiet: true }) },
      users: passwordUsers({ findByUsername, findById }),
      readAuthorization,
    })
    const app = express().get('/reports', auth.guard(), (_req, res) => void res.sendStatus(204))
    const { accessToken } = await auth.sessions.create(1)
    await request(app).get('/reports').set(toHeaders(accessToken)).expect(204)
    await request(app).get('/reports').set(toHeaders('x')).expect(401)
  })
})

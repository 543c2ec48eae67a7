import { randomUUID } from 'node:crypto'
import {
  canonicalUsername,
  claimEquals,
  type JwtAuth,
  type JwtAuthOptions,
  jwtAuth,
  passwordUsers,
  type StoredUser,
} from '@jwt-auth/express'
import { redisStorage } from '@jwt-auth/storage-redis'
import { createTestAuth, headersFor } from '@jwt-auth/testing'
import { type Express, json, type Request } from 'express'
import request from 'supertest'

/** A row of the table of users. */
export interface Account extends StoredUser {
  readonly id: number
  readonly role: 'admin' | 'member'
}

type Service = JwtAuth<Omit<Account, 'passwordHash'>, { readonly role: Account['role'] }>

/** The table of users. */
export interface Accounts {
  readonly findByUsername: (username: string) => Promise<Account | undefined>
  readonly findById: (id: number) => Promise<Account | undefined>
  readonly insert: (columns: Pick<Account, 'username' | 'passwordHash' | 'credentialVersion'>) => Promise<number>
  readonly setPassword: (id: number, columns: Pick<Account, 'passwordHash' | 'credentialVersion'>) => Promise<void>
}

// The tasks of a first month. A test counts the lines of each function.

export const addService = (app: Express, { findByUsername, findById }: Accounts, options: Options): Service => {
  const auth = jwtAuth({
    ...options, // secret, issuer, storage
    users: passwordUsers({ findByUsername, findById }),
    claims: ({ role }) => ({ role }),
  })
  app.use(auth) // POST /jwt-auth/v1/token
  return auth
}
type Options = Pick<JwtAuthOptions, 'secret' | 'issuer' | 'storage'>

export const addGuard = (app: Express, auth: Service): void => {
  app.get('/reports', auth.guard(), (req, res) => void res.json({ userId: auth.getAuth(req).userId }))
}

export const addRoles = (app: Express, auth: Service): void => {
  const isOwner = { allow: ({ userId }: { userId: number }, req: Request) => String(userId) === req.params['id'] }
  app.get('/admin', auth.guard({ allow: claimEquals('role', 'admin') }), (_req, res) => void res.sendStatus(204))
  app.get('/users/:id', auth.guard(isOwner), (_req, res) => void res.sendStatus(204))
}

export const addCurrentUser = (app: Express, auth: Service): void => {
  app.get('/profile', auth.guard({ checkUser: true }), (req, res) => {
    const { id, email } = auth.getUser(req)
    res.json({ id, email })
  })
}

export const addLogin = (app: Express, auth: Service): void => {
  app.post('/login', json(), async (req, res) => {
    const { email: username, password } = req.body ?? {}
    const { user, accessToken, refreshToken } = await auth.login(req, { username, password })
    res.json({ user: { id: user.id }, tokens: { access: accessToken, refresh: refreshToken } })
  })
}

export const addRefresh = (app: Express, auth: Service): void => {
  app.post('/refresh', json(), async (req, res) => {
    const { accessToken, refreshToken } = await auth.refresh(req, req.body?.refresh)
    res.json({ tokens: { access: accessToken, refresh: refreshToken } })
  })
}

export const addLogout = (app: Express, auth: Service): void => {
  app.post('/logout', json(), async (req, res) => {
    await auth.logout(req, { refreshToken: req.body?.refresh })
    res.sendStatus(204)
  })
}

export const addLogoutEverywhere = (app: Express, auth: Service): void => {
  app.post('/logout-everywhere', auth.guard(), async (req, res) => {
    await auth.sessions.revokeAll(auth.getAuth(req).userId)
    res.sendStatus(204)
  })
}

export const addPasswordChange = (app: Express, auth: Service, accounts: Accounts): void => {
  app.put('/password', auth.guard(), json(), async (req, res) => {
    const user = await auth.requirePassword(req, req.body?.password)
    const passwordHash = await auth.hashPassword(req, req.body.new_password)
    await accounts.setPassword(user.id, { passwordHash, credentialVersion: randomUUID() })
    auth.sendTokens(res, await auth.replaceSessions(req, user.id, { reason: 'password_changed' }))
  })
}

export const addSignUp = (app: Express, auth: Service, accounts: Accounts): void => {
  app.post('/sign-up', json(), async (req, res) => {
    const username = canonicalUsername(String(req.body?.username))
    if (username === undefined) return void res.sendStatus(422)
    await auth.limit(req, 'sign_up', { points: 10, durationSeconds: 3_600 })
    const passwordHash = await auth.hashPassword(req, req.body.password)
    const id = await accounts.insert({ username, passwordHash, credentialVersion: randomUUID() })
    auth.sendTokens(res, await auth.openSession(req, id))
  })
}

export const testGuard = async (
  createApp: (auth: JwtAuth<Pick<Account, 'id' | 'email'>>) => Express,
): Promise<void> => {
  const auth = createTestAuth({ users: [{ id: 1, email: 'ann@example.com' }] })
  const headers = await headersFor(auth, 1)
  await request(createApp(auth)).get('/reports').set(headers).expect(200)
}

export const createInstance = async (
  client: Parameters<typeof redisStorage>[0],
  options: Omit<JwtAuthOptions, 'storage'>,
) => {
  const storage = redisStorage(client)
  await storage.migrate()
  return jwtAuth({ ...options, storage })
}

export const addSecondFactor = (
  app: Express,
  auth: Service,
  isRightCode: (id: number, code: unknown) => Promise<boolean>,
): void => {
  app.post('/login/code', json(), async (req, res) => {
    const { email: username, password, code } = req.body ?? {}
    const { id } = await auth.checkCredentials(req, { username, password })
    await auth.limit(req, 'code', { points: 5, durationSeconds: 900, key: id })
    if (!(await isRightCode(id, code))) return void res.sendStatus(403)
    auth.sendTokens(res, await auth.openSession(req, id, { attributes: { amr: ['pwd', 'otp'] } }))
  })
}

// Other programs of the page.

export const addRememberedLogin = (app: Express, auth: Service): void => {
  app.post('/login/remembered', json(), async (req, res) => {
    const { email: username, password, remember } = req.body ?? {}
    // a day, or as long as the service allows
    const options = remember === true ? {} : { absoluteTimeoutSeconds: 86_400 }
    auth.sendTokens(res, await auth.login(req, { username, password }, options))
  })
}

/** For a site behind HTTP Basic authentication: clients send `X-Authorization: Bearer …`. */
export const behindBasic: JwtAuthOptions['readAuthorization'] = (req) => req.headers['x-authorization']?.toString()

/** For clients that send `Authorization: Token …`. */
export const withTokenScheme: JwtAuthOptions['readAuthorization'] = (req) =>
  req.headers.authorization?.replace(/^Token /, 'Bearer ')

/** For browsers, which call `new WebSocket(url, ['reports', accessToken])`. */
export const fromWebSocket: JwtAuthOptions['readAuthorization'] = (req) => {
  const [, token] = req.headers['sec-websocket-protocol']?.split(', ') ?? []
  return token === undefined ? req.headers.authorization : `Bearer ${token}`
}

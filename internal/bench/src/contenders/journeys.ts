import { createHash, createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { jwtAuth } from '@jwt-auth/express'
import { createUsersTable, knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { connectTo } from '@jwt-auth/test-support'
import express, { type Express, type RequestHandler } from 'express'
import type { Pool } from 'pg'
import { openPool, poolSize } from '../world/stores.js'

/** A server with the routes of a login, a guarded request, a refresh and a logout. */
export interface JourneyContender {
  readonly title: string
  /** What it does not do, and jwt-auth does. */
  readonly omits: string
  /** Creates the tables and the users, and opens the server on an empty database of PostgreSQL. */
  readonly open: (url: string) => Promise<RequestListener>
}

const routes = {
  login: '/jwt-auth/v1/token',
  refresh: '/jwt-auth/v1/token/refresh',
  revoke: '/jwt-auth/v1/token/revoke',
} as const

const lifetimeMs = 30 * 24 * 60 * 60 * 1000

/** Sessions in PostgreSQL. No contender hashes passwords, so that hashing does not hide the rest. */
export const journeys: Readonly<Record<string, JourneyContender>> = {
  'ours-journey': {
    title: '**jwt-auth**, through knex',
    omits: '',
    open: async (url) => {
      const knex = connectTo(url, { min: poolSize, max: poolSize })
      const storage = knexStorage(knex)
      await storage.migrate()
      await createUsersTable(knex)
      await knex.raw(`insert into users (username, password_hash, email, credential_version)
        select name, 'unused', name, '1' from (${userNames}) as names`)
      const hasher = { hash: async () => '', verify: async () => 'match' as const, needsRehash: () => false }
      const auth = jwtAuth({
        ...{ secret: randomBytes(48), issuer: 'https://bench.example', storage, users: knexUsers(knex, { hasher }) },
        clientAddress: (req) => String(req.headers['x-forwarded-for']),
      })
      return express().use(auth).get('/', auth.guard(), respond)
    },
  },
  'jsonwebtoken-journey': {
    title: 'jsonwebtoken by hand, one lookup per request',
    omits: 'detection of replayed refresh tokens, retries of a refresh, limits',
    open: async (url) => {
      const { default: jsonwebtoken } = await import('jsonwebtoken')
      const pool = await openPool(url)
      await pool.query(`create table logins (id uuid primary key, user_id integer not null,
        refresh_hash text not null unique, is_ended boolean not null default false)`)
      const key = createSecretKey(randomBytes(48))
      const toHash = (token: string): string => createHash('sha256').update(token).digest('base64url')
      const issue = (id: string, refreshToken: string) => ({
        token: jsonwebtoken.sign({ sid: id }, key, { expiresIn: '15m' }),
        refresh_token: refreshToken,
      })
      const guard: RequestHandler = async (req, res, next) => {
        const { sid } = Object(jsonwebtoken.verify(String(req.headers.authorization).slice(7), key))
        const { rows } = await pool.query('select user_id from logins where id = $1 and not is_ended', [sid])
        res.locals['sid'] = sid
        if (rows.length === 0) res.sendStatus(401)
        else next()
      }
      return openExpress(pool, {
        guard,
        login: async (userId, _req, res) => {
          const [id, refreshToken] = [randomUUID(), randomBytes(32).toString('base64url')]
          const insert = 'insert into logins (id, user_id, refresh_hash) values ($1, $2, $3)'
          await pool.query(insert, [id, userId, toHash(refreshToken)])
          res.json(issue(id, refreshToken))
        },
        refresh: async (req, res) => {
          const refreshToken = randomBytes(32).toString('base64url')
          const { rows } = await pool.query(
            'update logins set refresh_hash = $1 where refresh_hash = $2 and not is_ended returning id',
            [toHash(refreshToken), toHash(req.body.refresh_token)],
          )
          if (rows.length === 0) res.sendStatus(401)
          else res.json(issue(rows[0].id, refreshToken))
        },
        revoke: async (_req, res) => {
          await pool.query('update logins set is_ended = true where id = $1', [res.locals['sid']])
          res.json({})
        },
      })
    },
  },
  'express-session-journey': {
    title: 'express-session, connect-pg-simple',
    omits: 'tokens, rotation with retries, limits; a refresh is `regenerate`',
    open: async (url) => {
      const { default: session } = await import('express-session')
      const { default: createStore } = await import('connect-pg-simple')
      const pool = await openPool(url)
      const store = new (createStore(session))({ pool, createTableIfMissing: true })
      const sessions = session({
        ...{ store, secret: randomBytes(48).toString('base64url'), resave: false, saveUninitialized: false },
        cookie: { maxAge: lifetimeMs },
      })
      const open: Parameters<typeof openExpress>[1]['login'] = (userId, req, res) =>
        req.session.regenerate(() => {
          Object.assign(req.session, { userId })
          res.json({})
        })
      const guard: RequestHandler = (req, res, next) => {
        if (Object(req.session).userId === undefined) res.sendStatus(401)
        else next()
      }
      return openExpress(pool, {
        sessions,
        guard,
        login: open,
        refresh: (req, ...rest) => open(Object(req.session).userId, req, ...rest),
        revoke: (req, res) => req.session.destroy(() => res.json({})),
      })
    },
  },
  'better-auth-journey': {
    title: 'better-auth, `bearer`',
    omits: 'rotation, limits (off by default in development); a refresh is `get-session`',
    open: async (url) => {
      const { betterAuth } = await import('better-auth')
      const { getMigrations } = await import('better-auth/db/migration')
      const { fromNodeHeaders, toNodeHandler } = await import('better-auth/node')
      const { bearer } = await import('better-auth/plugins')
      const pool = await openPool(url)
      const auth = betterAuth({
        baseURL: 'http://127.0.0.1',
        secret: randomBytes(48).toString('base64url'),
        database: pool,
        emailAndPassword: { enabled: true, password: { hash: async () => '', verify: async () => true } },
        plugins: [bearer()],
        telemetry: { enabled: false },
      })
      await (await getMigrations(auth.options)).runMigrations()
      await pool.query(`insert into "user" (id, name, email, "emailVerified") select name, name, name, true
        from (${userNames}) as names`)
      await pool.query(`insert into account (id, "accountId", "providerId", "userId", password, "updatedAt")
        select name, name, 'credential', name, 'unused', now() from (${userNames}) as names`)
      const handler = toNodeHandler(auth)
      const forward =
        (method: string, path: string): RequestHandler =>
        (req, res) => {
          Object.assign(req, { method, originalUrl: path, url: path })
          return handler(req, res)
        }
      const guard: RequestHandler = async (req, res, next) => {
        const found = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })
        if (found === null) res.sendStatus(401)
        else next()
      }
      return express()
        .use((req, _res, next) => {
          // Its cookies would be checked besides the bearer token.
          delete req.headers.cookie
          next()
        })
        .post(routes.login, forward('POST', '/api/auth/sign-in/email'))
        .post(routes.refresh, forward('GET', '/api/auth/get-session'))
        .post(routes.revoke, forward('POST', '/api/auth/sign-out'))
        .get('/', guard, respond)
    },
  },
}

const userNames = "select 'user-' || number || '@example.com' as name from generate_series(1, 50000) as number"

const respond: RequestHandler = (_req, res) => {
  res.json({ received: true })
}

type Handler<Before extends unknown[] = []> = (...args: [...Before, ...Parameters<RequestHandler>]) => unknown

interface HandWritten {
  readonly sessions?: RequestHandler
  readonly guard: RequestHandler
  readonly login: Handler<[userId: number]>
  readonly refresh: Handler
  readonly revoke: Handler
}

const openExpress = async (pool: Pool, { sessions, guard, ...handlers }: HandWritten): Promise<Express> => {
  await pool.query(`create table users as select row_number() over () as id, name from (${userNames}) as names`)
  await pool.query('create unique index on users (name)')
  const app = express().use(express.json())
  if (sessions !== undefined) app.use(sessions)
  return app
    .post(routes.login, async (req, res, next) => {
      const { rows } = await pool.query('select id from users where name = $1', [req.body.username])
      if (rows.length === 0) res.sendStatus(401)
      else await handlers.login(rows[0].id, req, res, next)
    })
    .post(routes.refresh, handlers.refresh)
    .post(routes.revoke, guard, handlers.revoke)
    .get('/', guard, respond)
}

import { createHash, createSecretKey, randomBytes, randomUUID } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { jwtAuth } from '@jwt-auth/express'
import { createUsersTable, knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { connectTo } from '@jwt-auth/test-support'
import express, { type RequestHandler } from 'express'
import { routes } from '../load/journeys.js'
import { openPool, poolSize } from '../stores.js'
import { callTimeoutMs } from '../world.js'

/** A server with the routes of a login, a guarded request, a refresh and a logout. */
export interface JourneyContender {
  readonly title: string
  /** What it does not do, and jwt-auth does. */
  readonly omits: string
  /** Creates the tables and the users, and opens the server on an empty database of PostgreSQL. */
  readonly open: (url: string) => Promise<RequestListener>
}

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
        callTimeoutMs,
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
      await pool.query(`create table users as select row_number() over () as id, name from (${userNames}) as names`)
      await pool.query('create unique index on users (name)')
      await pool.query(`create table logins (id uuid primary key, user_id integer not null,
        refresh_hash text not null unique, is_ended boolean not null default false)`)
      const key = createSecretKey(randomBytes(48))
      const createRefreshToken = (): string => randomBytes(32).toString('base64url')
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
      return express()
        .use(express.json())
        .post(routes.login, async (req, res) => {
          const { rows } = await pool.query('select id from users where name = $1', [req.body.username])
          const [id, refreshToken] = [randomUUID(), createRefreshToken()]
          const insert = 'insert into logins (id, user_id, refresh_hash) values ($1, $2, $3)'
          await pool.query(insert, [id, rows[0].id, toHash(refreshToken)])
          res.json(issue(id, refreshToken))
        })
        .post(routes.refresh, async (req, res) => {
          const refreshToken = createRefreshToken()
          const { rows } = await pool.query(
            'update logins set refresh_hash = $1 where refresh_hash = $2 and not is_ended returning id',
            [toHash(refreshToken), toHash(req.body.refresh_token)],
          )
          if (rows.length === 0) res.sendStatus(401)
          else res.json(issue(rows[0].id, refreshToken))
        })
        .post(routes.revoke, guard, async (_req, res) => {
          await pool.query('update logins set is_ended = true where id = $1', [res.locals['sid']])
          res.json({})
        })
        .get('/', guard, respond)
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

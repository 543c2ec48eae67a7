import { createSecretKey } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { type JwtAuthOptions, jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { connectTo } from '@jwt-auth/test-support'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { openStorage, poolSize, type StoreName } from '../stores.js'
import { callTimeoutMs, sampleUsers, urlOf, type World } from '../world.js'

/** A guarded route to measure over HTTP. */
export interface GuardContender {
  /** Its name in tables. */
  readonly title: string
  /** What it checks before it responds. The bench tests this before it measures. */
  readonly checks: 'nothing' | 'token' | 'token and session'
  /** The store that it needs. */
  readonly store?: StoreName
  readonly open: (world: World) => Promise<RequestListener>
}

/** The guards, and Express without one. */
export const guards: Readonly<Record<string, GuardContender>> = {
  express: {
    title: 'bare Express 5',
    checks: 'nothing',
    open: async () => openExpress(),
  },
  'ours-memory': {
    title: '**jwt-auth**, memory',
    checks: 'token and session',
    open: async (world) => {
      const storage = memoryStorage({ quiet: true })
      for (const session of world.sessions) await storage.create(session)
      return openOurGuard(world, storage)
    },
  },
  'ours-sqlite': ours('SQLite'),
  'ours-postgres': ours('PostgreSQL'),
  'ours-mariadb': ours('MariaDB'),
  'ours-redis': ours('Redis'),
  'express-jwt': {
    title: 'express-jwt, KeyObject',
    checks: 'token',
    open: async (world) => {
      const { expressjwt } = await import('express-jwt')
      return openExpress(expressjwt(toExpressJwt(world)))
    },
  },
  /** Revocation with express-jwt, written by hand: one lookup per request. */
  'express-jwt-knex': {
    title: 'express-jwt, one knex lookup per request, PostgreSQL',
    checks: 'token and session',
    store: 'PostgreSQL',
    open: async (world) => {
      const { expressjwt } = await import('express-jwt')
      const knex = connectTo(urlOf(world, 'PostgreSQL'), { min: poolSize, max: poolSize })
      const guard = expressjwt({
        ...toExpressJwt(world),
        isRevoked: async (_req, token) => {
          const { sid } = Object(token?.payload)
          const session = await knex('jwt_auth_sessions').where({ id: sid }).first('ended_at')
          return session === undefined || session.ended_at !== null
        },
      })
      return openExpress(guard)
    },
  },
  'express-oauth2-jwt-bearer': {
    title: 'express-oauth2-jwt-bearer',
    checks: 'token',
    open: async ({ secret, issuer, audience }) => {
      // Required instead of imported: its types change the type of each `req.auth` in this
      // workspace.
      const { auth } = createRequire(import.meta.url)('express-oauth2-jwt-bearer')
      return openExpress(auth({ secret, issuer, audience, tokenSigningAlg: 'HS256' }))
    },
  },
  'passport-jwt': {
    title: 'passport-jwt',
    checks: 'token',
    open: async ({ secret, issuer, audience }) => {
      const { Passport } = await import('passport')
      const { ExtractJwt, Strategy } = await import('passport-jwt')
      const passport = new Passport()
      const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken()
      const options = { secretOrKey: secret, jwtFromRequest, algorithms: ['HS256' as const], issuer, audience }
      passport.use(new Strategy(options, (claims, done) => done(null, claims)))
      return openExpress(passport.authenticate('jwt', { session: false }))
    },
  },
}

function ours(store: StoreName): GuardContender {
  return {
    title: `**jwt-auth**, ${store}`,
    checks: 'token and session',
    store,
    open: async (world) => openOurGuard(world, await openStorage(store, urlOf(world, store))),
  }
}

const openOurGuard = ({ secret, issuer, audience }: World, storage: JwtAuthOptions['storage']): RequestListener =>
  openExpress(
    jwtAuth({ secret, issuer, audience, callTimeoutMs, users: sampleUsers, storage, rateLimits: false }).guard(),
  )

const toExpressJwt = ({ secret, issuer, audience }: World) => ({
  secret: createSecretKey(secret, 'utf8'),
  algorithms: ['HS256' as const],
  issuer,
  audience,
})

/** Creates an Express app with one route behind middleware. */
const openExpress = (...middleware: readonly RequestHandler[]): RequestListener => {
  const app = express()
  app.get('/', ...middleware, (_req, res) => {
    res.json({ received: true })
  })
  return app.use(refuse)
}

// Other libraries pass a refusal on as an error with a status.
const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ error: error.message })
}

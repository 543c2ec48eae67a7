import { createSecretKey } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { type JwtAuthOptions, jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { connectTo } from '@jwt-auth/test-support'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'
import { sampleUsers } from '../world/sample-user.js'
import { openStorage, poolSize } from '../world/stores.js'
import { databaseUrlOf, type StoreName, type World } from '../world/world.js'
import type { ServerContender } from './contender.js'

/** The guards, and Express without one. */
export const guards: Readonly<Record<string, ServerContender>> = {
  express: {
    title: 'bare Express 5',
    checks: 'nothing',
    open: async () => ({ listener: openExpress() }),
  },
  'ours-memory': {
    title: '**jwt-auth**, memory',
    checks: 'token and session',
    open: async (world) => {
      const storage = memoryStorage({ quiet: true })
      for (const session of world.sessions) await storage.create(session)
      return { listener: openOurGuard(world, storage) }
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
      return { listener: openExpress(expressjwt(toExpressJwt(world))) }
    },
  },
  /** Revocation with express-jwt, written by hand: one lookup per request. */
  'express-jwt-knex': {
    title: 'express-jwt, one knex lookup per request, PostgreSQL',
    checks: 'token and session',
    store: 'PostgreSQL',
    open: async (world) => {
      const { expressjwt } = await import('express-jwt')
      const knex = connectTo(databaseUrlOf(world, 'PostgreSQL'), { min: poolSize, max: poolSize })
      const guard = expressjwt({
        ...toExpressJwt(world),
        isRevoked: async (_req, token) => {
          const { sid } = Object(token?.payload)
          const session = await knex('jwt_auth_sessions').where({ id: sid }).first('ended_at')
          return session === undefined || session.ended_at !== null
        },
      })
      return { listener: openExpress(guard) }
    },
  },
  'express-oauth2-jwt-bearer': {
    title: 'express-oauth2-jwt-bearer',
    checks: 'token',
    open: async ({ secret, issuer, audience }) => {
      // Required instead of imported: its types change the type of each `req.auth` in this
      // workspace.
      const { auth } = createRequire(import.meta.url)('express-oauth2-jwt-bearer')
      return { listener: openExpress(auth({ secret, issuer, audience, tokenSigningAlg: 'HS256' })) }
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
      return { listener: openExpress(passport.authenticate('jwt', { session: false })) }
    },
  },
  /** Uses its own tokens: random texts that name a row, which each request looks up. */
  'better-auth': {
    title: 'better-auth bearer, memory (100 sessions)',
    checks: 'token and session',
    open: async ({ secret }) => {
      const { betterAuth } = await import('better-auth')
      const { memoryAdapter } = await import('better-auth/adapters/memory')
      const { fromNodeHeaders } = await import('better-auth/node')
      const { bearer } = await import('better-auth/plugins')
      const auth = betterAuth({
        baseURL: 'http://127.0.0.1',
        secret,
        database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
        emailAndPassword: { enabled: true },
        plugins: [bearer()],
        telemetry: { enabled: false },
      })
      const guard: RequestHandler = async (req, res, next) => {
        const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })
        if (session === null) res.status(401).end()
        else next()
      }
      const { internalAdapter } = await auth.$context
      const { user } = await auth.api.signUpEmail({
        body: { email: 'a@example.com', name: 'A', password: 'correct horse' },
      })
      const openSession = async (): Promise<string> => (await internalAdapter.createSession(user.id)).token
      // Its memory adapter searches a list. With more sessions, the bench would measure the list.
      const tokens = await Promise.all(Array.from({ length: 100 }, openSession))
      const revokedToken = await openSession()
      await internalAdapter.deleteSession(revokedToken)
      return { listener: openExpress(guard), own: { tokens, revokedToken } }
    },
  },
}

function ours(store: StoreName): ServerContender {
  return {
    title: `**jwt-auth**, ${store}`,
    checks: 'token and session',
    store,
    open: async (world) => ({ listener: openOurGuard(world, await openStorage(world, store)) }),
  }
}

const openOurGuard = ({ secret, issuer, audience }: World, storage: JwtAuthOptions['storage']): RequestListener =>
  openExpress(jwtAuth({ secret, issuer, audience, users: sampleUsers, storage, rateLimits: false }).guard())

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

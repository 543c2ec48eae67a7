import { createSecretKey } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { createRequire } from 'node:module'
import { isAuthError, type JwtAuthOptions, jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { connectTo } from '@jwt-auth/test-support'
import { createProver } from '@jwt-auth/test-support/dpop-prover'
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
  /** All tokens are bound to one key. Each request has a proof. */
  'ours-dpop': {
    title: '**jwt-auth**, memory, DPoP proofs',
    checks: 'token and session',
    open: async (world) => {
      const { auth, own, proofs } = await openBoundSessions(world)
      return { listener: openExpress(auth.guard()), own, proofs }
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
  'express-oauth2-jwt-bearer-dpop': {
    title: 'express-oauth2-jwt-bearer, DPoP proofs',
    checks: 'token',
    open: async (world) => {
      const { secret, issuer, audience } = world
      const { own, proofs } = await openBoundSessions(world)
      const { auth } = createRequire(import.meta.url)('express-oauth2-jwt-bearer')
      const dpop = { enabled: true, required: true }
      const guard = auth({ secret, issuer, audience, tokenSigningAlg: 'HS256', dpop })
      // It compares the URL of the server, and has no nonces.
      return { listener: openExpress(guard), own, proofs: { privateKey: proofs.privateKey } }
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

/** Opens as many sessions as the world has, all bound to one key. */
const openBoundSessions = async ({ secret, issuer, audience, tokens: { length } }: World) => {
  // A list would show too many sessions of one user.
  const storage = { ...memoryStorage({ quiet: true }), list: async () => [] }
  const dpop = { bind: 'all-tokens' } as const
  const auth = jwtAuth({ secret, issuer, audience, users: sampleUsers, storage, rateLimits: false, dpop })
  const { privateKey, thumbprint: dpopThumbprint, prove } = createProver()
  const tokens: string[] = []
  for (let count = 0; count < length; count += 1) {
    tokens.push((await auth.sessions.create(1, {}, { dpopThumbprint })).accessToken)
  }
  const { accessToken: revokedToken, sessionId } = await auth.sessions.create(1, {}, { dpopThumbprint })
  await auth.sessions.revoke({ userId: 1, sessionId })
  const asked: unknown = await auth
    .checkDpopProof(new Request(issuer, { headers: { DPoP: prove({}) } }))
    .catch((error: unknown) => error)
  const nonce = isAuthError(asked) ? asked.dpopNonce : undefined
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { auth, own: { tokens, revokedToken }, proofs: { privateKey: pem, url: `${issuer}/`, nonce } }
}

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

import { jwtAuth } from '@jwt-auth/express'
import { knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import express, { type Express, type Request } from 'express'
import jwt from 'jsonwebtoken'
import { type AppOptions, createOldLogins, type OldLogin } from '../old-logins.js'

const refreshTokenLifetimeMs = 30 * 86_400_000

/** The application with jwt-auth, which still accepts the access tokens and exchanges the refresh tokens. */
export const createApp = ({ database, secret, oldSecret, now, options }: AppOptions): Express => {
  const auth = jwtAuth({
    secret,
    issuer: 'https://reports.example.com',
    users: knexUsers(database, {
      columns: { username: 'login', passwordHash: 'password', credentialVersion: 'credential_version' },
      rehash: true,
    }),
    storage: knexStorage(database),
    ...options,
  })

  const readAccessToken = ({ headers }: Request): OldLogin<number> | undefined => {
    try {
      const token = String(headers.authorization?.replace('Bearer ', ''))
      const claims = Object(jwt.verify(token, oldSecret, { algorithms: ['HS256'] }))
      // Tokens of jwt-auth have a `sid`. The old check must not accept them, even if both secrets are the same.
      if (typeof claims.id !== 'number' || claims.sid !== undefined) return undefined
      return { userId: claims.id, name: JSON.stringify(claims), loggedInAtMs: claims.iat * 1000 }
    } catch {
      return undefined
    }
  }

  const readRefreshToken = async ({ body }: Request): Promise<OldLogin<number> | undefined> => {
    if (typeof body?.refreshToken !== 'string') return undefined
    const row = await database('refresh_tokens').where({ token: body.refreshToken }).first()
    if (row === undefined || row.created_at + refreshTokenLifetimeMs <= now()) return undefined
    return { userId: row.user_id, name: row.token, loggedInAtMs: row.created_at }
  }

  const old = createOldLogins({
    auth,
    database,
    now,
    // Only the exchange reads a body.
    readOldLogin: async (req) => readAccessToken(req) ?? readRefreshToken(req),
  })

  const app = express()

  app.use(auth)
  app.post('/exchange', express.json(), old.exchange)
  app.get('/reports', old.guard, (req, res) => void res.json({ userId: old.getUserId(req) }))
  app.post('/log-out-everywhere', old.guard, async (req, res) => {
    await old.logOutEverywhere(old.getUserId(req))
    res.sendStatus(204)
  })
  app.use(auth.errorHandler())
  return app
}

import { jwtAuth } from '@jwt-auth/express'
import { knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import express, { type Express } from 'express'
import { expressjwt } from 'express-jwt'
import { type AppOptions, createOldLogins } from '../old-logins.js'

/** The application with jwt-auth, which still accepts the tokens of express-jwt. */
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

  const checkOldToken = expressjwt({ secret: oldSecret, algorithms: ['HS256'], requestProperty: 'token' })
  const old = createOldLogins({
    auth,
    database,
    now,
    readOldLogin: (req, res) =>
      new Promise((resolve) => {
        checkOldToken(req, res, (error) => {
          const claims = Reflect.get(req, 'token')
          // Tokens of jwt-auth have a `sid`. The old check must not accept them, even if both secrets are the same.
          const isOld = error === undefined && typeof claims?.id === 'number' && claims.sid === undefined
          const loggedInAtMs = claims?.iat * 1000
          resolve(isOld ? { userId: claims.id, name: JSON.stringify(claims), loggedInAtMs } : undefined)
        })
      }),
  })

  const app = express()

  app.use(auth)
  // For old clients, which read the member `token`.
  app.post('/login', express.json(), async (req, res) => {
    const { username, password } = req.body ?? {}
    const { accessToken } = await auth.login(req, { username, password })
    res.json({ token: accessToken })
  })
  app.post('/exchange', old.exchange)

  app.get('/reports', old.guard, (req, res) => {
    res.json({ userId: old.getUserId(req) })
  })

  app.post('/log-out-everywhere', old.guard, async (req, res) => {
    await old.logOutEverywhere(old.getUserId(req))
    res.sendStatus(204)
  })

  app.use(auth.errorHandler())
  return app
}

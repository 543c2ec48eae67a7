import { jwtAuth } from '@jwt-auth/express'
import { scryptHasher } from '@jwt-auth/express/legacy-hashers'
import { knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import express, { type Express } from 'express'
import { Passport } from 'passport'
import { ExtractJwt, Strategy } from 'passport-jwt'
import { type AppOptions, createOldLogins, type OldLogin } from '../old-logins.js'

/** The application with jwt-auth, which still accepts the tokens of passport-jwt. */
export const createApp = ({ database, secret, oldSecret, now, options }: AppOptions): Express => {
  const auth = jwtAuth({
    secret,
    // Another issuer than that of the old tokens: the old check refuses tokens of jwt-auth.
    issuer: 'https://reports.example.com',
    users: knexUsers(database, {
      table: 'members',
      columns: { username: 'email', passwordHash: 'password', credentialVersion: 'credential_version' },
      legacyHashers: [scryptHasher()],
      rehash: true,
    }),
    storage: knexStorage(database),
    ...options,
  })

  const passport = new Passport()
  const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken()
  passport.use(
    new Strategy(
      { secretOrKey: oldSecret, jwtFromRequest, algorithms: ['HS256'], issuer: 'reports' },
      async (claims, done) => {
        const member = await database('members')
          .where({ id: Number(claims.sub) })
          .first()
        done(null, member && { userId: member.id, name: JSON.stringify(claims), loggedInAtMs: claims.iat * 1000 })
      },
    ),
  )
  const old = createOldLogins({
    auth,
    database,
    now,
    readOldLogin: (req, res) =>
      new Promise((resolve, reject) => {
        const done = (error: unknown, login: OldLogin<number> | false) =>
          error ? reject(error) : resolve(login || undefined)
        passport.authenticate('jwt', { session: false }, done)(req, res, reject)
      }),
  })

  const app = express()

  app.use(auth)
  // For old clients, which read the member `token`.
  app.post('/auth/login', express.json(), async (req, res) => {
    const { email, password } = req.body ?? {}
    const { accessToken } = await auth.login(req, { username: email, password })
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

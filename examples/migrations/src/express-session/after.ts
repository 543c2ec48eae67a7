import { jwtAuth } from '@jwt-auth/express'
import { knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { ConnectSessionKnexStore } from 'connect-session-knex'
import express, { type Express, type RequestHandler } from 'express'
import session, { type SessionData } from 'express-session'
import { type AppOptions, createOldLogins } from '../old-logins.js'

/** The application with jwt-auth, which still accepts the sessions of express-session. */
export const createApp = ({ database, secret, oldSecret, now, options }: AppOptions): Express => {
  const auth = jwtAuth({
    secret,
    issuer: 'https://reports.example.com',
    users: knexUsers(database, {
      columns: { username: 'username', passwordHash: 'password_hash', credentialVersion: 'credential_version' },
      rehash: true,
    }),
    storage: knexStorage(database),
    cookies: true, // as before, no script of the page can read what keeps the user logged in
    ...options,
  })

  const oldSession = session({
    secret: oldSecret,
    store: new UntouchedStore({ knex: database, cleanupInterval: 0 }),
    resave: false,
    saveUninitialized: false,
  })
  const old = createOldLogins({
    auth,
    database,
    now,
    readOldLogin: async (req, res) => {
      // A page that has an access token does not use the old cookie, which may be of another user.
      if (req.headers.authorization !== undefined) return undefined
      await new Promise((resolve) => oldSession(req, res, resolve))
      const { userId, cookie } = req.session
      // The old application did not store the time of the login. The user logged in at their last use of it, or before.
      const loggedInAtMs = Number(cookie.expires) - Number(cookie.originalMaxAge)
      return userId === undefined ? undefined : { userId, name: req.sessionID, loggedInAtMs }
    },
    // Otherwise a page that logs out could exchange the cookie again in the next minute.
    clearOldCookie: (res) => res.clearCookie('connect.sid'),
  })

  const app = express()
  app.use(auth)
  app.post('/exchange', requireOwnPage, old.exchange)

  app.get('/reports', old.guard, (req, res) => {
    res.json({ userId: old.getUserId(req) })
  })

  app.post('/log-out-everywhere', requireOwnPage, old.guard, async (req, res) => {
    await old.logOutEverywhere(old.getUserId(req))
    res.sendStatus(204)
  })

  // For pages of the old application that are still open.
  app.post('/logout', oldSession, (req, res) => {
    req.session.destroy(() => res.redirect('/'))
  })

  app.use(auth.errorHandler())
  return app
}

// The old sessions expire, even those that are used every day.
class UntouchedStore extends ConnectSessionKnexStore {
  override async touch(_id: string, _session: SessionData, done?: () => void): Promise<void> {
    done?.()
  }
}

// Browsers send the old cookie with the forms of other sites too, but a form cannot set these headers.
const requireOwnPage: RequestHandler = (req, res, next) => {
  if (req.headers.authorization !== undefined || req.get('X-JWT-Auth-Transport') === 'cookie') next()
  else res.sendStatus(400)
}

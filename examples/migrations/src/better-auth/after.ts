import { jwtAuth, passwordUsers } from '@jwt-auth/express'
import { scryptHasher } from '@jwt-auth/express/legacy-hashers'
import { knexStorage } from '@jwt-auth/storage-knex'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { toNodeHandler } from 'better-auth/node'
import { bearer } from 'better-auth/plugins'
import express, { type Express } from 'express'
import { type AppOptions, createOldLogins } from '../old-logins.js'

/** The application with jwt-auth, which still accepts the tokens of better-auth. */
export const createApp = (given: Omit<AppOptions, 'oldSecret'> & { oldOptions: BetterAuthOptions }): Express => {
  const { database, secret, oldOptions, now, options } = given

  // The hash of the password is in the table `account`. Users of a social login have none.
  const findUser = (column: 'email' | 'id', value: string) =>
    database('user')
      .leftJoin('account', (join) =>
        join.on('account.userId', 'user.id').andOnVal('account.providerId', '=', 'credential'),
      )
      .where({ [`user.${column}`]: value })
      .first({ id: 'user.id', email: 'user.email', displayName: 'user.name', passwordHash: 'account.password' })

  const auth = jwtAuth({
    secret,
    issuer: 'https://reports.example.com',
    users: passwordUsers({
      findByUsername: (email) => findUser('email', email),
      findById: (id: string) => findUser('id', id),
      legacyHashers: [scryptHasher({ blockSize: 16 })],
    }),
    storage: knexStorage(database),
    ...options,
  })

  const oldAuth = betterAuth({ ...oldOptions, plugins: [bearer()], session: { disableSessionRefresh: true } })
  const old = createOldLogins({
    auth,
    database,
    now,
    readOldLogin: async ({ headers: { authorization } }) => {
      if (authorization === undefined) return undefined
      const found = await oldAuth.api.getSession({ headers: new Headers({ authorization }) })
      if (found === null) return undefined
      const { id, createdAt } = found.session
      return { userId: found.user.id, name: id, loggedInAtMs: createdAt.getTime() }
    },
  })

  const app = express()
  app.use(auth)
  app.post('/exchange', old.exchange)

  app.get('/reports', old.guard, (req, res) => {
    res.json({ userId: old.getUserId(req) })
  })

  app.post('/log-out-everywhere', old.guard, async (req, res) => {
    await old.logOutEverywhere(old.getUserId(req))
    res.sendStatus(204)
  })

  // For old clients.
  app.post('/api/auth/sign-out', toNodeHandler(oldAuth))

  app.use(auth.errorHandler())
  return app
}

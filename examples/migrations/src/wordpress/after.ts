import { canonicalUsername, jwtAuth, type UserDirectory } from '@jwt-auth/express'
import { phpassHasher } from '@jwt-auth/express/legacy-hashers'
import { knexStorage, knexUsers, type TableUser } from '@jwt-auth/storage-knex'
import express, { type Express } from 'express'
import jwt from 'jsonwebtoken'
import type { Knex } from 'knex'
import { type AppOptions, createOldLogins } from '../old-logins.js'

/** The application with jwt-auth, which still accepts the tokens of the plugin. `site` is the address of the WordPress site. */
export const createApp = (given: AppOptions & { readonly site: string }): Express => {
  const { database, secret, oldSecret, site, now, options } = given
  const auth = jwtAuth({
    secret,
    issuer: 'https://reports.example.com',
    namespace: '/wp-json/jwt-auth/v1', // the routes of the plugin
    formBodies: true, // the clients of the plugin may send forms
    users: wordpressUsers(database),
    // What a filter `jwt_auth_token_before_dispatch` added to the response.
    profile: async ({ id }) => ({ roles: await findRoles(database, id) }),
    storage: knexStorage(database),
    ...options,
  })

  const old = createOldLogins({
    auth,
    database,
    now,
    readOldLogin: async ({ headers: { authorization = '' } }) => {
      const claims = readOldToken(authorization.replace(/^Bearer /, ''), oldSecret, site)
      if (claims === undefined) return undefined
      const loggedInAtMs = Number(claims.iat) * 1000
      return { userId: Number(claims['data'].user.id), name: JSON.stringify(claims), loggedInAtMs }
    },
  })

  const app = express()
  app.post('/wp-json/jwt-auth/v1/token/validate', old.guard, (_req, res) => {
    res.json({ code: 'jwt_auth_valid_token', data: { status: 200 } })
  })
  app.use(auth)
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

// The hashes stay as they are, because WordPress reads them too.
const wordpressUsers = (database: Knex): UserDirectory<TableUser> => {
  const columns = {
    id: 'ID',
    username: 'user_login',
    passwordHash: 'user_pass',
    email: 'user_email',
    nicename: 'user_nicename',
    displayName: 'display_name',
  }
  const users = knexUsers(database, { table: 'wp_users', columns, legacyHashers: [phpassHasher()] })
  return {
    ...users,
    // WordPress accepts the user name and the e-mail address, in any letter case. Its collation also ignores accents.
    findByUsername: async (name, lookup) => {
      const canonical = canonicalUsername(name)
      if (canonical === undefined) return undefined
      const rows = await database('wp_users').where('user_login', canonical).orWhere('user_email', canonical)
      const owner =
        rows.find((row) => canonicalUsername(row.user_login) === canonical) ??
        rows.find((row) => canonicalUsername(row.user_email) === canonical)
      return owner && users.findById(owner.ID, lookup)
    },
  }
}

// WordPress serializes the roles in the form of PHP: `a:1:{s:6:"editor";b:1;}`.
const findRoles = async (database: Knex, userId: number): Promise<readonly string[]> => {
  const row = await database('wp_usermeta').where({ user_id: userId, meta_key: 'wp_capabilities' }).first('meta_value')
  return [...String(row?.meta_value).matchAll(/"([\w-]+)";b:1/g)].map(([, role = '']) => role)
}

const readOldToken = (token: string, secret: string, issuer: string): jwt.JwtPayload | undefined => {
  try {
    const claims = jwt.verify(token, secret, { algorithms: ['HS256'], issuer })
    // Tokens of jwt-auth have a `sid`. The old check must not accept them, even if both secrets are the same.
    return typeof claims === 'string' || claims['sid'] !== undefined ? undefined : claims
  } catch {
    return undefined
  }
}

import { createHash, createHmac } from 'node:crypto'
import bcrypt from 'bcrypt'
import express, { type Express, type RequestHandler } from 'express'
import jwt from 'jsonwebtoken'
import type { Knex } from 'knex'

/** What a client of the plugin "JWT Authentication for WP REST API" sees of a WordPress site at the address `site`. */
export const createApp = (database: Knex, secret: string, site: string): Express => {
  const app = express()

  app.post('/wp-json/jwt-auth/v1/token', express.json(), async (req, res) => {
    const { username, password } = req.body
    const user = await database('wp_users').where({ user_login: username }).orWhere({ user_email: username }).first()
    if (user === undefined || !(await isPasswordOf(password, user.user_pass))) {
      return void res.status(403).json({ code: '[jwt_auth] incorrect_password', data: { status: 403 } })
    }
    const iat = Math.floor(Date.now() / 1000)
    // WordPress reads the id from its database as text.
    const claims = { iss: site, iat, nbf: iat, exp: iat + 7 * 24 * 3600, data: { user: { id: String(user.ID) } } }
    res.json({
      token: jwt.sign(claims, secret),
      user_email: user.user_email,
      user_nicename: user.user_nicename,
      user_display_name: user.display_name,
    })
  })

  const readUserId = (authorization = ''): number | undefined => {
    try {
      const claims = jwt.verify(authorization.replace(/^Bearer /, ''), secret, { algorithms: ['HS256'], issuer: site })
      return typeof claims === 'string' ? undefined : Number(claims['data'].user.id)
    } catch {
      return undefined
    }
  }

  const requireUser: RequestHandler = (req, res, next) => {
    if (readUserId(req.headers.authorization) !== undefined) return next()
    res.status(403).json({ code: 'jwt_auth_invalid_token', data: { status: 403 } })
  }

  app.post('/wp-json/jwt-auth/v1/token/validate', requireUser, (_, res) => {
    res.json({ code: 'jwt_auth_valid_token', data: { status: 200 } })
  })

  app.get('/reports', requireUser, (req, res) => {
    res.json({ userId: readUserId(req.headers.authorization) })
  })

  return app
}

/** Hashes a password as WordPress 6.8 does. */
export const hashAsWordPress = async (password: string): Promise<string> =>
  `$wp${(await bcrypt.hash(prehash(password), 10)).replace('$2b$', '$2y$')}`

const prehash = (password: string): string => createHmac('sha384', 'wp-sha384').update(password.trim()).digest('base64')

// wp_check_password() of WordPress 6.8, which also reads the hashes of earlier versions (phpass).
const isPasswordOf = async (password: string, stored: string): Promise<boolean> =>
  stored.startsWith('$wp')
    ? bcrypt.compare(prehash(password), stored.slice(3).replace('$2y$', '$2b$'))
    : hashWithPhpass(password, stored) === stored

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// crypt_private() of wp-includes/class-phpass.php.
const hashWithPhpass = (password: string, setting: string): string => {
  const md5 = (...parts: (string | Buffer)[]) =>
    createHash('md5')
      .update(Buffer.concat(parts.map((one) => Buffer.from(one))))
      .digest()
  let hash = md5(setting.slice(4, 12), password)
  for (let count = 2 ** alphabet.indexOf(setting.charAt(3)); count > 0; count -= 1) hash = md5(hash, password)
  // In groups of three bytes, the lowest bits first.
  const groups = [0, 3, 6, 9, 12, 15].map((start) => hash.subarray(start, start + 3))
  const digits = groups.flatMap((group) => {
    const number = group.reduceRight((sum, byte) => sum * 256 + byte, 0)
    return Array.from({ length: group.length + 1 }, (_, place) => alphabet.charAt((number >> (6 * place)) & 63))
  })
  return setting.slice(0, 12) + digits.join('')
}

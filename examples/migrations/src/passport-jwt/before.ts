import { scryptSync, timingSafeEqual } from 'node:crypto'
import express, { type Express } from 'express'
import jwt from 'jsonwebtoken'
import type { Knex } from 'knex'
import { Passport } from 'passport'
import { ExtractJwt, Strategy } from 'passport-jwt'

/** The application with passport-jwt, and passwords that are hashed by scrypt. */
export const createApp = (database: Knex, secret: string): Express => {
  const issuer = 'reports'
  const passport = new Passport()
  const jwtFromRequest = ExtractJwt.fromAuthHeaderAsBearerToken()
  passport.use(
    new Strategy({ secretOrKey: secret, jwtFromRequest, algorithms: ['HS256'], issuer }, async (claims, done) => {
      const user = await database('members')
        .where({ id: Number(claims.sub) })
        .first()
      done(null, user ?? false)
    }),
  )

  const app = express()

  app.post('/auth/login', express.json(), async (req, res) => {
    const member = await database('members').where({ email: req.body.email }).first()
    if (member === undefined || !isPasswordOf(req.body.password, member.password)) return void res.sendStatus(401)
    const token = jwt.sign({}, secret, { subject: String(member.id), issuer, expiresIn: '1d' })
    res.json({ token })
  })

  app.get('/reports', passport.authenticate('jwt', { session: false }), (req, res) => {
    res.json({ userId: req.user && 'id' in req.user && req.user.id })
  })

  return app
}

const isPasswordOf = (password: string, stored: string): boolean => {
  const [salt = '', key = ''] = stored.split(':')
  return timingSafeEqual(scryptSync(password, salt, 64), Buffer.from(key, 'hex'))
}

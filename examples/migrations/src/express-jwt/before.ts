import bcrypt from 'bcrypt'
import express, { type Express } from 'express'
import { expressjwt } from 'express-jwt'
import jwt from 'jsonwebtoken'
import type { Knex } from 'knex'

/** The application with express-jwt and a login of its own. */
export const createApp = (database: Knex, secret: string): Express => {
  const app = express()

  app.post('/login', express.json(), async (req, res) => {
    const user = await database('users').where({ login: req.body.username }).first()
    if (user === undefined || !(await bcrypt.compare(req.body.password, user.password))) {
      return void res.status(401).json({ error: 'Wrong user name or password.' })
    }
    res.json({ token: jwt.sign({ id: user.id }, secret, { expiresIn: '7d' }) })
  })

  app.get('/reports', expressjwt({ secret, algorithms: ['HS256'], requestProperty: 'token' }), (req, res) => {
    res.json({ userId: Reflect.get(req, 'token').id })
  })

  return app
}

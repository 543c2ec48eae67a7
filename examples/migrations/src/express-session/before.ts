import bcrypt from 'bcrypt'
import { ConnectSessionKnexStore } from 'connect-session-knex'
import express, { type Express } from 'express'
import session from 'express-session'
import type { Knex } from 'knex'

declare module 'express-session' {
  interface SessionData {
    userId: number
  }
}

/** The application with express-session, which keeps its sessions in the database. */
export const createApp = (database: Knex, secret: string): Express => {
  const app = express()
  const store = new ConnectSessionKnexStore({ knex: database, cleanupInterval: 0 })
  const maxAge = 14 * 24 * 3600 * 1000
  app.use(session({ secret, store, resave: false, saveUninitialized: false, rolling: true, cookie: { maxAge } }))

  app.post('/login', express.urlencoded(), async (req, res) => {
    const user = await database('users').where({ username: req.body.username }).first()
    if (user === undefined || !(await bcrypt.compare(req.body.password, user.password_hash))) {
      return void res.sendStatus(401)
    }
    req.session.regenerate(() => {
      req.session.userId = user.id
      res.redirect('/')
    })
  })

  app.get('/reports', (req, res) => {
    if (req.session.userId === undefined) return void res.sendStatus(401)
    res.json({ userId: req.session.userId })
  })

  app.post('/logout', (req, res) => {
    req.session.destroy(() => res.redirect('/'))
  })

  return app
}

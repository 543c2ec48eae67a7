import { createServer } from 'node:http'
import { claimEquals, jwtAuth } from '@jwt-auth/express'
import express from 'express'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

const app = express()
app.use(auth)
app.get('/reports', auth.guard(), (req, res) => {
  res.json({ userId: auth.getAuth(req).userId })
})
app.get('/admin', auth.guard({ allow: claimEquals('role', 'admin') }), (_req, res) => {
  res.json({ role: 'admin' })
})
app.get('/', (_req, res) => {
  res.send('home')
})

export const server = createServer(app)

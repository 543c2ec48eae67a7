import { bcryptUsers, getAuth, jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import express from 'express'
import { findById, findByUsername } from './users.js' // your table: users with bcrypt hashes

const auth = jwtAuth({
  secret: process.env['JWT_AUTH_SECRET'], // 32 random bytes or more
  issuer: 'https://api.example.com',
  users: bcryptUsers({ findByUsername, findById }),
  storage: memoryStorage(), // knexStorage(knex) in production
})

export const app = express()
app.use(auth) // POST /jwt-auth/v1/token, …/token/refresh, …/token/validate, …/token/revoke
app.get('/reports', auth.guard(), (req, res) => {
  res.json({ for: getAuth(req)?.userId })
})

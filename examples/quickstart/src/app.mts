// app.mts
import { hashPassword, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import express from 'express'

const { JWT_AUTH_SECRET, PORT = '3000' } = process.env

const demo = { id: 1, username: 'demo', email: 'demo@example.com' }
const jane = { id: 2, username: 'jane', email: 'jane@example.com' }
const users = [
  { ...demo, passwordHash: await hashPassword('correct horse battery staple') },
  { ...jane, passwordHash: await hashPassword('another long passphrase') },
]

const auth = jwtAuth({
  secret: JWT_AUTH_SECRET,
  issuer: 'http://localhost:3000', // the URL of your service
  users: passwordUsers({
    findByUsername: async (username) => users.find((user) => user.username === username),
    findById: async (id) => users.find((user) => user.id === id),
  }),
  storage: memoryStorage(), // sessions end with the process; use a database in production
})

const app = express()
app.use(auth) // adds the routes below /jwt-auth/v1: token, token/refresh, token/validate, token/revoke, me

app.get('/reports', auth.guard(), (req, res) => {
  res.json({ userId: auth.getAuth(req).userId }) // getAuth throws if the guard is missing
})

app.listen(PORT).once('listening', () => {
  console.log(`listening on http://localhost:${PORT}`)
})

// app.mts
import { randomUUID } from 'node:crypto'
import { AuthError, canonicalUsername, jwtAuth } from '@jwt-auth/express'
import { createUsersTable, knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { libsqlConfig } from '@jwt-auth/storage-knex/libsql'
import express, { type Response } from 'express'
import knex from 'knex'
import { breachRule, findFault, lengthRule, personalRule } from './password-rules.mjs'

const { JWT_AUTH_SECRET, PORT = '3000' } = process.env

const database = knex(libsqlConfig('app.sqlite')) // a file in the current folder
await createUsersTable(database)
const users = knexUsers(database)

const storage = knexStorage(database)
await storage.migrate()

const auth = jwtAuth({
  secret: JWT_AUTH_SECRET,
  issuer: 'http://localhost:3000', // the URL of your service
  users,
  storage,
})

const ownRules = [lengthRule, personalRule]

const app = express()
app.use(auth)

app.post('/sign-up', express.json(), async (req, res) => {
  const email = toText(req.body?.email).trim()
  const password = toText(req.body?.password)
  const name = toText(req.body?.username)
  // The spelling under which logins search for the user. It is undefined for a name that nobody could log in with.
  const username = canonicalUsername(name)
  const faults = {
    username: username === undefined ? 'Choose another user name.' : undefined,
    email: /^[^@\s]{1,64}@[^@\s]{1,190}$/.test(email) ? undefined : 'Enter an e-mail address.',
    password: await findFault(ownRules, password, { username: name, email }),
  }
  if (username === undefined || faults.email !== undefined || faults.password !== undefined) {
    refuseEntries(res, faults)
    return
  }
  // Counted before the work for a sign-up, so that concurrent sign-ups do not pass the limit.
  await auth.limit(req, 'sign_up', { points: 10, durationSeconds: 3_600 })
  const breach = await breachRule(password, { username, email })
  if (breach !== undefined) {
    refuseEntries(res, { password: breach })
    return
  }
  const password_hash = await auth.hashPassword(req, password)
  try {
    await database('users').insert({ username, email, password_hash, credential_version: randomUUID() })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    res.status(409).json({ code: 'sign_up_taken', message: 'This user name is taken.', data: { status: 409 } })
    return
  }
  const user = await users.findByUsername(username)
  if (user === undefined) throw new Error('the new user was deleted at the same moment')
  // The user is logged in: the response is that of a login.
  auth.sendTokens(res, await auth.openSession(req, user.id))
})

app.put('/password', auth.guard(), express.json(), async (req, res) => {
  const user = await auth.requirePassword(req, req.body?.password)
  await auth.limit(req, 'new_password', { points: 10, durationSeconds: 3_600, key: user.id })
  const password = toText(req.body?.new_password)
  const { username = '', email } = user
  const fault = await findFault([...ownRules, breachRule], password, { username, email })
  if (fault !== undefined) {
    res.status(422).json({ code: 'password_invalid', message: fault, data: { status: 422 } })
    return
  }
  const password_hash = await auth.hashPassword(req, password)
  // The version is compared, so that of two concurrent changes one fails.
  const changed = await database('users')
    .where({ id: user.id, credential_version: String(user.credentialVersion) })
    .update({ password_hash, credential_version: randomUUID() })
  if (changed === 0) throw new AuthError('jwt_auth_failed')
  auth.sendTokens(res, await auth.replaceSessions(req, user.id, { reason: 'password_changed' }))
})

app.get('/reports', auth.guard(), (req, res) => {
  res.json({ userId: auth.getAuth(req).userId })
})

app.use(auth.errorHandler())

app.listen(PORT).once('listening', () => {
  console.log(`listening on http://localhost:${PORT}`)
})

// Converts a value that is not well-formed text to an empty string, which the checks refuse.
function toText(value: unknown): string {
  return typeof value === 'string' && value.isWellFormed() ? value : ''
}

function refuseEntries(res: Response, faults: Readonly<Record<string, string | undefined>>): void {
  res.status(422).json({ code: 'sign_up_invalid', message: 'Some entries are invalid.', data: { status: 422, faults } })
}

// SQLite, PostgreSQL, MySQL and MariaDB. The database decides: a query before the insert would miss a concurrent sign-up.
function isDuplicate(error: unknown): boolean {
  const codes: unknown[] = ['SQLITE_CONSTRAINT_UNIQUE', '23505', 'ER_DUP_ENTRY']
  return error instanceof Error && 'code' in error && codes.includes(error.code)
}

// app.mts
import { randomUUID } from 'node:crypto'
import { AuthError, canonicalUsername, jwtAuth } from '@jwt-auth/express'
import { createUsersTable, knexStorage, knexUsers, type TableUser } from '@jwt-auth/storage-knex'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import express, { type NextFunction, type Request, type Response } from 'express'
import knex from 'knex'
import { breachRule, findFault, lengthRule, personalRule } from './password-rules.mjs'

const { JWT_AUTH_SECRET, PORT = '3000' } = process.env

const database = knex(sqliteConfig('app.sqlite')) // a file in the current folder
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

/** A failure of these routes. The error handler responds to it. */
class Refusal extends Error {
  readonly response: { status: number; code: string; message: string; faults?: object }

  constructor(response: Refusal['response']) {
    super(response.message)
    this.response = response
  }
}

const app = express()
app.use(auth)

app.post('/sign-up', express.json(), async (req, res) => {
  const entries = await readEntries(req.body ?? {})
  // Counted before the work for a sign-up, so that concurrent sign-ups do not pass the limit.
  await auth.limit(req, 'sign_up', { points: 10, durationSeconds: 3_600 })
  const id = await insertUser(entries, await auth.hashPassword(req, await requireUnbreached(entries)))
  // The user is logged in: the response is that of a login.
  auth.sendTokens(res, await auth.openSession(req, id))
})

app.put('/password', auth.guard(), express.json(), async (req, res) => {
  const user = await auth.requirePassword(req, req.body?.password)
  await auth.limit(req, 'new_password', { points: 10, durationSeconds: 3_600, key: user.id })
  const password = await readNewPassword(req.body.new_password, user)
  await updatePassword(user, await auth.hashPassword(req, password))
  auth.sendTokens(res, await auth.replaceSessions(req, user.id, { reason: 'password_changed' }))
})

app.get('/reports', auth.guard(), (req, res) => {
  res.json({ userId: auth.getAuth(req).userId })
})

app.use((error: unknown, _req: Request, res: Response, next: NextFunction) => {
  if (!(error instanceof Refusal)) return next(error)
  const { status, code, message, faults } = error.response
  res.status(status).json({ code, message, data: { status, faults } })
})
app.use(auth.errorHandler())

app.listen(PORT).once('listening', () => {
  console.log(`listening on http://localhost:${PORT}`)
})

interface Entries {
  readonly username: string
  readonly email: string
  readonly password: string
}

async function readEntries(body: Readonly<Record<string, unknown>>): Promise<Entries> {
  const email = toText(body['email']).trim()
  const password = toText(body['password'])
  const name = toText(body['username'])
  // The spelling under which logins search for the user. It is undefined for a name that nobody could log in with.
  const username = canonicalUsername(name)
  const faults = {
    username: username === undefined ? 'Choose another user name.' : undefined,
    email: /^[^@\s]{1,64}@[^@\s]{1,190}$/.test(email) ? undefined : 'Enter an e-mail address.',
    password: await findFault(ownRules, password, { username: name, email }),
  }
  if (username === undefined || faults.email !== undefined || faults.password !== undefined)
    throw invalidEntries(faults)
  return { username, email, password }
}

async function requireUnbreached(entries: Entries): Promise<string> {
  const fault = await breachRule(entries.password, entries)
  if (fault !== undefined) throw invalidEntries({ password: fault })
  return entries.password
}

async function readNewPassword(value: unknown, { username, email }: TableUser): Promise<string> {
  const password = toText(value)
  const fault = await findFault([...ownRules, breachRule], password, { username: username ?? '', email })
  if (fault !== undefined) throw new Refusal({ status: 422, code: 'password_invalid', message: fault })
  return password
}

async function insertUser({ username, email }: Entries, password_hash: string): Promise<number> {
  try {
    await database('users').insert({ username, email, password_hash, credential_version: randomUUID() })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    throw new Refusal({ status: 409, code: 'sign_up_taken', message: 'This user name is taken.' })
  }
  const user = await users.findByUsername(username)
  if (user === undefined) throw new Error('the new user was deleted at the same moment')
  return user.id
}

async function updatePassword({ id, credentialVersion }: TableUser, password_hash: string): Promise<void> {
  // The version is compared, so that of two concurrent changes one fails.
  const changed = await database('users')
    .where({ id, credential_version: String(credentialVersion) })
    .update({ password_hash, credential_version: randomUUID() })
  if (changed === 0) throw new AuthError('jwt_auth_failed')
}

// Converts a value that is not well-formed text to an empty string, which the checks refuse.
function toText(value: unknown): string {
  return typeof value === 'string' && value.isWellFormed() ? value : ''
}

function invalidEntries(faults: Readonly<Record<string, string | undefined>>): Refusal {
  return new Refusal({ status: 422, code: 'sign_up_invalid', message: 'Some entries are invalid.', faults })
}

// SQLite, PostgreSQL, MySQL and MariaDB. The database decides: a query before the insert would miss a concurrent sign-up.
function isDuplicate(error: unknown): boolean {
  const codes: unknown[] = ['SQLITE_CONSTRAINT_UNIQUE', '23505', 'ER_DUP_ENTRY']
  return error instanceof Error && 'code' in error && codes.includes(error.code)
}

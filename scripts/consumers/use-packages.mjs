// Loads every entry point of the installed packages, and logs in.
//
// Usage: node use-packages.mjs import|require ENTRY_POINT …
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)
const [way, ...entryPoints] = process.argv.slice(2)
const packages = {}
for (const name of entryPoints) packages[name] = way === 'require' ? require(name) : await import(name)
const use = (name) => packages[`@jwt-auth/${name}`]

const isLoaded = (library) => process.report.getReport().sharedObjects.some((file) => file.includes(library))

const { bcryptHasher, hashPassword, jwtAuth, passwordUsers } = use('express')
const { verifyPassword } = use('passwords/internal')
const { argon2idHasher } = use('express/argon2')

// Hashing the first password loads the hashing library.
assert(!isLoaded('bcrypt') && !isLoaded('argon2'), 'a hashing library was loaded before the first hash')
const passwordHash = await hashPassword('pass phrase', { cost: 4 })
assert(isLoaded('bcrypt') && !isLoaded('argon2'), 'not only bcrypt was loaded')
assert(argon2idHasher === use('passwords/argon2').argon2idHasher, 'there are two Argon2id hashers')
const { phpassHasher } = use('express/legacy-hashers')
assert(phpassHasher === use('passwords/legacy-hashers').phpassHasher, 'there are two phpass hashers')
const hasher = argon2idHasher({ memoryKib: 1024, passes: 1 })
const hashing = { hasher, legacyHashers: [bcryptHasher({ cost: 4 })] }
for (const options of [hashing, { cost: 4 }]) {
  const stored = await hashPassword('pass phrase', options)
  assert(await verifyPassword('pass phrase', stored, hashing), 'a password did not match its hash')
}

// The ESM and the CommonJS build share one queue.
const queue = Reflect.get(globalThis, Symbol.for('@jwt-auth/passwords.hashingQueue'))
const { run } = queue
let runs = 0
queue.run = (work) => {
  runs += 1
  return run(work)
}
const builds = [use('express'), require('@jwt-auth/passwords'), await import('@jwt-auth/passwords')]
for (const build of builds) await build.hashPassword('pass phrase', { cost: 4 })
assert(runs === builds.length, 'the builds do not share one queue')
queue.run = run

const user = { id: 1, email: 'a@example.com', nicename: 'a', displayName: 'A', passwordHash }
const find = async (key) => (key === 'a' || key === 1 ? user : undefined)
const { default: knex } = await import('knex')
const database = knex(use('storage-knex/libsql').sqliteConfig(':memory:'))
const sqlite = use('storage-knex').knexStorage(database)
await sqlite.migrate()
for (const storage of [use('storage-memory').memoryStorage({ quiet: true }), sqlite]) {
  const auth = jwtAuth({
    secret: randomBytes(32),
    issuer: 'https://consumer.example',
    users: passwordUsers({ findByUsername: find, findById: find, cost: 4 }),
    storage,
  })
  const server = createServer((req, res) =>
    auth(req, res, () => auth.guard()(req, res, () => res.end(String(auth.getOptionalAuth(req).userId)))),
  )
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${server.address().port}/jwt-auth/v1`
  const client = use('client').createAuthClient({ baseUrl })
  await client.login({ username: 'a', password: 'pass phrase' })
  const response = await client.fetch('/')
  assert((await response.text()) === '1', 'the guard refused the access token of the client')
  await client.logout()
  server.close()
  server.closeAllConnections()
}
await database.destroy()
process.stdout.write(`${entryPoints.length} entry points`)

// Packs every published package, installs the tarballs with npm into an empty folder, and runs a login in Node, once as ESM and once as
// CommonJS. Users get the same packages, without the export condition and the tools of this workspace.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packPackages } from './pack-packages.mjs'
import { run } from './processes.mjs'

const folder = mkdtempSync(join(tmpdir(), 'jwt-auth-smoke-'))

const program = `
const isLoaded = (library) => process.report.getReport().sharedObjects.some((file) => file.includes(library))

// Hashing the first password loads the hashing library, and the ESM and the CommonJS build share one queue.
const checkHashing = async () => {
  if (isLoaded('bcrypt') || isLoaded('argon2')) throw new Error('a hashing library was loaded before the first hash')
  const { hashPassword, verifyPassword, bcryptHasher } = express
  await hashPassword('pass phrase', { cost: 4 })
  if (!isLoaded('bcrypt') || isLoaded('argon2')) throw new Error('not only bcrypt was loaded')
  const hasher = argon2.argon2idHasher({ memoryKib: 1024, passes: 1 })
  if (expressArgon2.argon2idHasher !== argon2.argon2idHasher) throw new Error('there are two Argon2id hashers')
  if (expressLegacyHashers.phpassHasher !== legacyHashers.phpassHasher) throw new Error('there are two phpass hashers')
  const hashing = { hasher, legacyHashers: [bcryptHasher({ cost: 4 })] }
  for (const of of [hashing, { cost: 4 }]) {
    const stored = await hashPassword('pass phrase', of)
    if (!(await verifyPassword('pass phrase', stored, hashing))) throw new Error('a password did not match its hash')
  }
  const queue = Reflect.get(globalThis, Symbol.for('@jwt-auth/core.hashingQueue'))
  let runs = 0
  const run = queue.run
  queue.run = (work) => (runs++, run(work))
  const twice = [express, require('@jwt-auth/core'), await import('@jwt-auth/core')]
  for (const build of twice) await build.hashPassword('pass phrase', { cost: 4 })
  if (runs !== twice.length) throw new Error('the builds do not share one queue')
  queue.run = run
}

const main = async () => {
  await checkHashing()
  const passwordHash = await express.hashPassword('pass phrase', { cost: 4 })
  const user = { id: 1, email: 'a@example.com', nicename: 'a', displayName: 'A', passwordHash }
  const find = async (key) => (key === 'a' || key === 1 ? user : undefined)
  const database = knex(libsql.libsqlConfig(':memory:'))
  const storage = storageKnex.knexStorage(database)
  await storage.migrate()
  for (const store of [storageMemory.memoryStorage({ quiet: true }), storage]) {
    const auth = express.jwtAuth({
      secret: require('node:crypto').randomBytes(32),
      issuer: 'https://smoke.example',
      users: express.passwordUsers({ findByUsername: find, findById: find, cost: 4 }),
      storage: store,
    })
    const server = require('node:http').createServer((req, res) =>
      auth(req, res, () => auth.guard()(req, res, () => res.end(String(auth.getOptionalAuth(req).userId)))))
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    const origin = 'http://127.0.0.1:' + server.address().port
    const login = await fetch(origin + '/jwt-auth/v1/token', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'a', password: 'pass phrase' }),
    })
    const { token } = await login.json()
    const response = await fetch(origin + '/', { headers: { authorization: 'Bearer ' + token } })
    if ((await response.text()) !== '1') throw new Error('the guard refused the access token')
    const browser = client.createAuthClient({ baseUrl: origin + '/jwt-auth/v1' })
    await browser.login({ username: 'a', password: 'pass phrase' })
    if ((await (await browser.fetch('/')).text()) !== '1') throw new Error('the client sent no access token')
    await browser.logout()
    server.close()
    server.closeAllConnections()
  }
  await database.destroy()
}
main().catch((error) => { console.error(error); process.exitCode = 1 })
`

const names = {
  client: '@jwt-auth/client',
  core: '@jwt-auth/core',
  adapter: '@jwt-auth/core/adapter',
  argon2: '@jwt-auth/core/argon2',
  legacyHashers: '@jwt-auth/core/legacy-hashers',
  wire: '@jwt-auth/core/wire',
  express: '@jwt-auth/express',
  expressArgon2: '@jwt-auth/express/argon2',
  expressLegacyHashers: '@jwt-auth/express/legacy-hashers',
  storageMemory: '@jwt-auth/storage-memory',
  storageKnex: '@jwt-auth/storage-knex',
  storageSql: '@jwt-auth/storage-sql',
  sqlExecutor: '@jwt-auth/storage-sql/executor',
  mysql2: '@jwt-auth/storage-sql/mysql2',
  pg: '@jwt-auth/storage-sql/pg',
  postgres: '@jwt-auth/storage-sql/postgres',
  sqlite: '@jwt-auth/storage-sql/sqlite',
  libsql: '@jwt-auth/storage-knex/libsql',
}
const imports = Object.entries(names)

const programs = {
  'smoke.mjs': [
    "import { createRequire } from 'node:module'",
    "import knex from 'knex'",
    "import '@jwt-auth/express/augment'",
    ...imports.map(([variable, name]) => `import * as ${variable} from '${name}'`),
    'const require = createRequire(import.meta.url)',
    program,
  ].join('\n'),
  'smoke.cjs': [
    "const knex = require('knex')",
    "require('@jwt-auth/express/augment')",
    ...imports.map(([variable, name]) => `const ${variable} = require('${name}')`),
    program,
  ].join('\n'),
}

/** Runs the command of the conformance suite, from its tarball, on the memory storage from its tarball. */
const checkCommand = () => {
  writeFileSync(join(folder, 'adapter.mjs'), "export { memoryStorage as default } from '@jwt-auth/storage-memory'")
  const command = join(folder, 'node_modules', '.bin', 'jwt-auth-storage-conformance')
  const { stdout, stderr } = spawnSync(command, ['adapter.mjs'], { cwd: folder, encoding: 'utf8' })
  if (!/\d+ passed +0 failed/.test(stdout)) throw new Error(`jwt-auth-storage-conformance failed: ${stdout}${stderr}`)
  console.log('jwt-auth-storage-conformance ran from the packed packages')
}

try {
  mkdirSync(join(folder, 'tarballs'))
  const tarballs = Object.values(await packPackages(join(folder, 'tarballs')))
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const install = ['install', '--silent', '--no-audit', '--no-fund', ...tarballs]
  await run('npm', [...install, 'knex', 'libsql', '@node-rs/argon2'], { cwd: folder })
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), text)
    await run(process.execPath, [name], { cwd: folder })
    console.log(`${name} logged in with the packed packages`)
  }
  checkCommand()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

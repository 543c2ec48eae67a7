// Runs a command with a PostgreSQL, a MariaDB and a Redis. Uses a server that an environment variable (TEST_POSTGRES_URL, TEST_MYSQL_URL,
// TEST_REDIS_URL) names or that listens on the standard port. Starts the others from the installed Debian packages, on free ports, with
// their files in a temporary folder, and stops them when the command has ended. With OWN_DATABASES=1, starts all three.
//
// Usage: node scripts/with-databases.mjs COMMAND [ARGUMENT …]
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startMariadb, startPostgres, startRedis } from './databases/servers.mjs'

/** The programs where Debian's packages install them. */
const installed = { folder: '/', wrap: async (path) => join('/', path) }

const findPostgresVersion = async () => {
  const versions = (await readdir('/usr/lib/postgresql')).map(Number)
  return String(Math.max(...versions))
}

const databases = [
  {
    variable: 'TEST_POSTGRES_URL',
    standardPort: 5432,
    start: async (folder) => startPostgres(installed, folder, await findPostgresVersion()),
  },
  { variable: 'TEST_MYSQL_URL', standardPort: 3306, start: (folder) => startMariadb(installed, folder) },
  { variable: 'TEST_REDIS_URL', standardPort: 6379, start: (folder) => startRedis(installed, folder, 'redis') },
]

const isListening = (port) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })

const isMissing = async ({ variable, standardPort }) => {
  if (process.env[variable]) return false
  return process.env.OWN_DATABASES === '1' || !(await isListening(standardPort))
}

/** Runs the command and resolves to its exit code. A signal ends the command first, and then its servers. */
const runCommand = async ([command, ...args], env) => {
  const child = spawn(command, args, { env, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const [code] = await once(child, 'close')
  return code ?? 1
}

const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-databases-'))
// The servers may run as another user.
await chmod(folder, 0o755)
const servers = []
const env = { ...process.env }
try {
  for (const database of databases) {
    if (!(await isMissing(database))) continue
    const server = await database.start(folder)
    servers.push(server)
    env[database.variable] = server.url
    console.log(`${database.variable}=${server.url}`)
  }
  process.exitCode = await runCommand(process.argv.slice(2), env)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  await Promise.allSettled(servers.map(({ stop }) => stop()))
  await rm(folder, { recursive: true, force: true })
}

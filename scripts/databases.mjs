// Runs the storage suites on further databases: newer and older versions, MySQL, Valkey, and PgBouncer
// in front of PostgreSQL. The servers come from Debian's packages, which are unpacked into a temporary
// folder.
//
// Usage: npm run databases -- [database …], such as mysql valkey
import { chmod, mkdir, mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSuites, Unavailable } from './databases/debian.mjs'
import { startMariadb, startMysql, startPgbouncer, startPostgres, startRedis } from './databases/servers.mjs'
import { runSuites } from './databases/suites.mjs'
import { root } from './workspace.mjs'

const folder = await mkdtemp(join(tmpdir(), 'jwt-auth-databases-'))
const temporary = join(folder, 'tmp')
const stops = []

/** Returns a function that calls `start` once and always returns its result. */
const once = (start) => {
  let result
  return () => {
    result ??= start()
    return result
  }
}

const openOnce = (...names) => {
  const [key] = names.slice(-1)
  const cache = join(root, 'node_modules', '.cache', 'databases', key)
  return once(() => openSuites({ suites: names, cache, target: join(folder, key) }))
}
const sid = openOnce('sid')
const bookworm = openOnce('bookworm')
const backports = openOnce('bookworm', 'bookworm-backports')

const keep = (server) => {
  stops.push(server.stop)
  return server
}

const startPostgresOf = async (suites) => {
  const { unpack, apt } = await suites()
  const [, major] = /Depends: postgresql-(\d+)/.exec(await apt('apt-cache', ['depends', 'postgresql'])) ?? []
  const programs = await unpack([`postgresql-${major}`])
  return { version: programs.version, ...keep(await startPostgres(programs, programs.folder, major)) }
}
const postgres = once(() => startPostgresOf(sid))

const pgbouncer = async (maxPreparedStatements) => {
  const { version: postgresVersion, url: postgresUrl } = await postgres()
  const programs = await (await sid()).unpack(['pgbouncer'])
  const server = keep(await startPgbouncer(programs, folder, { postgresUrl, maxPreparedStatements }))
  return { version: `${programs.version}, PostgreSQL ${postgresVersion}`, ...server }
}

const fromPackages = (suites, packages, start) => async () => {
  const programs = await (await suites()).unpack(packages)
  return { version: programs.version, ...keep(await start(programs, programs.folder)) }
}
const redis = (suites, product) =>
  fromPackages(suites, [`${product}-server`, `${product}-tools`], (...args) => startRedis(...args, product))

const mariadb = (suites) => fromPackages(suites, ['mariadb-server-core', 'mariadb-client-core'], startMariadb)

const stores = [
  { id: 'postgresql', name: 'PostgreSQL', kind: 'postgres', start: postgres },
  { id: 'postgresql-15', name: 'PostgreSQL', kind: 'postgres', start: () => startPostgresOf(bookworm) },
  {
    id: 'pgbouncer',
    name: 'PgBouncer, transaction mode',
    kind: 'postgres',
    excluded: 'prepared statements',
    start: () => pgbouncer(0),
  },
  {
    id: 'pgbouncer-prepared',
    name: 'PgBouncer, transaction mode, prepared statements',
    kind: 'postgres',
    start: () => pgbouncer(200),
  },
  { id: 'mariadb', name: 'MariaDB', kind: 'mysql', start: mariadb(sid) },
  { id: 'mariadb-10.11', name: 'MariaDB', kind: 'mysql', start: mariadb(bookworm) },
  { id: 'mysql', name: 'MySQL', kind: 'mysql', start: fromPackages(sid, ['mysql-server-core'], startMysql) },
  { id: 'redis', name: 'Redis', kind: 'redis', start: redis(sid, 'redis') },
  { id: 'redis-7', name: 'Redis', kind: 'redis', start: redis(bookworm, 'redis') },
  { id: 'valkey', name: 'Valkey', kind: 'redis', start: redis(backports, 'valkey') },
]

/** Tests one database. Returns the line of the report. An unavailable database is not a failure. */
const testStore = async ({ name, kind, excluded, start }) => {
  try {
    const { version, url, path } = await start()
    return `passed   ${name} (${version}): ${await runSuites({ kind, url, path, excluded, temporary })} tests`
  } catch (error) {
    if (error.message === 'interrupted') throw error
    if (error instanceof Unavailable) return `SKIPPED  ${name}: ${error.message}`
    process.exitCode = 1
    return `FAILED   ${name}\n${error.stack}`
  }
}

const cleanUp = async () => {
  await Promise.allSettled(stops.reverse().map((stop) => stop()))
  await killFrom(folder)
  await rm(folder, { recursive: true, force: true })
}

// Interrupted tests do not stop the nodes of their cluster.
const killFrom = async (folder) => {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const program = await readlink(`/proc/${pid}/exe`).catch(() => '')
    if (program.startsWith(`${folder}/`)) process.kill(Number(pid), 'SIGKILL')
  }
}

const ids = process.argv.slice(2)
const unknown = ids.filter((id) => !stores.some((store) => store.id === id))
try {
  if (unknown.length > 0)
    throw new TypeError(`unknown: ${unknown.join(', ')}; the databases are ${stores.map(({ id }) => id).join(', ')}`)
  // The servers may run as another user.
  await chmod(folder, 0o755)
  await mkdir(temporary)
  await mkdir(join(root, '.reports'), { recursive: true })
  const lines = []
  for (const store of stores.filter(({ id }) => ids.length === 0 || ids.includes(id))) {
    lines.push(await testStore(store))
    console.log(lines.at(-1))
  }
  await writeFile(join(root, '.reports', 'databases.txt'), lines.join('\n'))
} catch (error) {
  console.error(error.message === 'interrupted' ? 'interrupted' : error)
  process.exitCode = 1
} finally {
  await cleanUp()
}

// Runs the storage suites on further databases: newer versions, MySQL, Valkey, and PgBouncer in front
// of PostgreSQL. The servers come from Debian's packages, which mmdebstrap unpacks into a temporary
// folder. The other tests run on the databases of the machine.
//
// Usage: npm run databases -- [database …], such as mysql valkey
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startOwnServer } from '../internal/test-support/src/own-server.ts'
import * as programs from '../internal/test-support/src/server-programs.ts'
import { createFolder } from '../internal/test-support/src/temporary-folder.ts'
import { runSuites } from './databases/suites.mjs'
import { unpack } from './databases/unpack.mjs'
import { run } from './processes.mjs'
import { root } from './workspace.mjs'

/** The packages that are unpacked together. MySQL and MariaDB have files with the same names. */
const installations = {
  sid: { suites: ['sid'], packages: ['postgresql', 'pgbouncer', 'mariadb-server-core', 'mariadb-client-core'] },
  mysql: { suites: ['sid'], packages: ['mysql-server-core', 'redis-server', 'redis-tools'] },
  backports: { suites: ['bookworm', 'bookworm-backports'], packages: ['valkey-server', 'valkey-tools'] },
}
const redis = { kind: 'redis', start: programs.redisProgram }
const pgbouncer = (maxPreparedStatements) => ({
  find: ['pgbouncer'],
  from: 'sid',
  needs: 'postgresql',
  start: (installation) =>
    programs.pgbouncerProgram(installation, {
      postgresUrl: urls.get('postgresql'),
      settings: [`max_prepared_statements = ${maxPreparedStatements}`],
    }),
})

const stores = {
  postgresql: { kind: 'postgres', start: programs.postgresProgram, find: ['postgres', 'initdb'], from: 'sid' },
  pgbouncer: { ...pgbouncer(0), kind: 'postgres', excluded: 'prepared statements' },
  'pgbouncer-prepared': { ...pgbouncer(200), kind: 'prepared' },
  mariadb: {
    kind: 'mysql',
    start: programs.mariadbProgram,
    find: ['mariadbd', 'mariadb-install-db', 'my_print_defaults'],
    from: 'sid',
  },
  mysql: { kind: 'mysql', start: programs.mysqlProgram, find: ['mysqld'], from: 'mysql' },
  redis: { ...redis, find: ['redis-server', 'redis-cli'], from: 'mysql' },
  valkey: { ...redis, find: ['valkey-server redis-server', 'valkey-cli redis-cli'], from: 'backports' },
}

const folder = createFolder()
const temporary = join(folder, 'tmp')
const urls = new Map()
const finders = {}
const paths = {}

const install = (name) => {
  const { suites, packages } = installations[name]
  finders[name] ??= unpack(join(folder, name), suites, packages)
  return finders[name]
}

/** Finds the programs of a store, each once. Resolves to their paths by name. */
const findPrograms = async ({ from, find }) => {
  const finder = await install(from)
  const found = find.map(async (names) => {
    const [name, as = name] = names.split(' ')
    paths[`${from} ${name}`] ??= finder(name, as)
    return [as, await paths[`${from} ${name}`]]
  })
  return Object.fromEntries(await Promise.all(found))
}

const startStore = async (id) => {
  const { from, start, needs, ...store } = stores[id]
  if (needs !== undefined && !urls.has(needs)) await startStore(needs)
  const files = await findPrograms({ from, ...store })
  const [command] = Object.values(files)
  const installation = { find: (name) => files[name], prefix: join(folder, from, 'usr'), isDurable: false }
  const { url } = await startOwnServer(start(installation))
  urls.set(id, url)
  const [version] = /\d+\.\d+(\.\d+)?/.exec(await run(command, ['--version'])) ?? []
  return { version, path: dirname(command) }
}

/** Tests one database. Returns the line of the report. An unavailable database is not a failure. */
const testStore = async (id) => {
  try {
    const { version, path } = await startStore(id)
    const { kind, excluded } = stores[id]
    const count = await runSuites({ kind, url: urls.get(id), path, excluded, temporary })
    return `passed   ${id} (${version}): ${count} tests`
  } catch (error) {
    if (error.isUnavailable) return `SKIPPED  ${id}: ${error.message.trim().split('\n').at(-1)}`
    process.exitCode = 1
    return `FAILED   ${id}\n${error.stack}`
  }
}

const chosen = process.argv.slice(2)
const ids = chosen.length > 0 ? chosen : Object.keys(stores)
const unknown = ids.filter((id) => !Object.hasOwn(stores, id))
if (unknown.length > 0)
  throw new TypeError(`unknown: ${unknown.join(', ')}; the databases are ${Object.keys(stores).join(', ')}`)
// The servers may run as another user.
await chmod(folder, 0o755)
await mkdir(temporary)
await mkdir(join(root, '.reports'), { recursive: true })
// The next databases are unpacked while the first ones are tested.
for (const id of ids) install(stores[id].from).catch(() => {})
const lines = []
for (const id of ids) {
  lines.push(await testStore(id))
  console.log(lines.at(-1))
}
await writeFile(join(root, '.reports', 'databases.txt'), lines.join('\n'))
// Ends the servers.
process.exit()

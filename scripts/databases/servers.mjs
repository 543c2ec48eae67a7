// Starts database servers, each on a free port of 127.0.0.1, with its files in a folder of its own. `wrap` returns the path of a program,
// and `folder` is the folder that contains `usr`. Each function resolves to the URL of the server and a function that stops it.
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findFreePort, run, startServer } from '../processes.mjs'

// PostgreSQL and PgBouncer refuse to run as root. Root starts all servers as nobody.
const nobody = { uid: 65_534, gid: 65_534 }
const user = process.getuid?.() === 0 ? nobody : undefined
const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' }
const host = '127.0.0.1'

const makeFolder = async (parent, name) => {
  const folder = join(parent, name)
  await mkdir(folder, { recursive: true })
  if (user !== undefined) await chown(folder, user.uid, user.gid)
  return folder
}

const serve = (folder, [program, ...args], options) =>
  startServer(program, args, { cwd: folder, env, user, ...options })

/** Starts PostgreSQL. Writes are not synchronized to the disk. */
export const startPostgres = async ({ wrap, folder: root }, parent, major) => {
  const bin = `usr/lib/postgresql/${major}/bin`
  const [initdb, postgres] = [await wrap(`${bin}/initdb`), await wrap(`${bin}/postgres`)]
  const folder = await makeFolder(parent, 'postgresql')
  const data = join(folder, 'data')
  const share = join(root, `usr/share/postgresql/${major}`)
  const options = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync']
  await run(initdb, ['-D', data, '-L', share, ...options], { cwd: folder, env, user })
  const port = await findFreePort()
  const settings = ['-c', 'fsync=off', '-c', 'max_connections=200', '-c', 'listen_addresses=127.0.0.1', '-k', folder]
  const server = await serve(folder, [postgres, '-D', data, '-p', String(port), ...settings], {
    stopSignal: 'SIGINT',
    readyText: 'database system is ready to accept connections',
  })
  return { url: `postgres://postgres@${host}:${port}/postgres`, stop: server.stop }
}

/** Starts PgBouncer in transaction mode in front of a PostgreSQL. With `maxPreparedStatements` 0, it has no prepared statements. */
export const startPgbouncer = async ({ wrap }, parent, { postgresUrl, maxPreparedStatements }) => {
  const program = await wrap('usr/sbin/pgbouncer')
  const folder = await makeFolder(parent, `pgbouncer-${maxPreparedStatements}`)
  const port = await findFreePort()
  const settings = [
    '[databases]',
    `* = host=${host} port=${new URL(postgresUrl).port}`,
    '[pgbouncer]',
    `listen_addr = ${host}`,
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(folder, 'users')}`,
    'pool_mode = transaction',
    `max_prepared_statements = ${maxPreparedStatements}`,
    'max_client_conn = 400',
    '',
  ]
  await writeFile(join(folder, 'users'), '"postgres" ""\n')
  await writeFile(join(folder, 'settings.ini'), settings.join('\n'))
  const server = await serve(folder, [program, join(folder, 'settings.ini')], {
    stopSignal: 'SIGQUIT',
    readyText: 'process up',
  })
  return { url: `postgres://postgres@${host}:${port}/postgres`, stop: server.stop }
}

/** Starts MySQL. */
export const startMysql = async ({ wrap, folder: root }, parent) => {
  const program = await wrap('usr/sbin/mysqld')
  const folder = await makeFolder(parent, 'mysql')
  const place = ['--no-defaults', `--basedir=${join(root, 'usr')}`, `--datadir=${join(folder, 'data')}`]
  const temporary = [`--tmpdir=${folder}`, `--secure-file-priv=${folder}`]
  await run(program, [...place, ...temporary, '--initialize-insecure'], { cwd: folder, env, user })
  return startMysqlServer(
    program,
    [...place, ...temporary, '--mysqlx=OFF', '--innodb-flush-log-at-trx-commit=2'],
    folder,
  )
}

/** Starts MariaDB. */
export const startMariadb = async ({ wrap, folder: root }, parent) => {
  const [program] = [await wrap('usr/sbin/mariadbd'), await wrap('usr/bin/my_print_defaults')]
  const folder = await makeFolder(parent, 'mariadb')
  const place = ['--no-defaults', `--basedir=${join(root, 'usr')}`, `--datadir=${join(folder, 'data')}`]
  // MariaDB deletes all #sql* files in its tmpdir when it starts. In /tmp, these may be the temporary tables of other servers.
  const temporary = [`--tmpdir=${folder}`]
  const options = ['--auth-root-authentication-method=normal', '--skip-test-db', '--force']
  await run(join(root, 'usr/bin/mariadb-install-db'), [...place, ...temporary, ...options], { cwd: folder, env, user })
  // Installed servers find their messages. Unpacked servers look for them in /usr/share.
  const share = root === '/' ? [] : [`--lc-messages-dir=${join(root, 'usr/share/mariadb')}`]
  return startMysqlServer(program, [...place, ...temporary, ...share, '--innodb-flush-log-at-trx-commit=2'], folder)
}

const startMysqlServer = async (program, args, folder) => {
  const port = await findFreePort()
  const socket = [`--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`]
  const server = await serve(folder, [program, ...args, ...socket, `--port=${port}`, `--bind-address=${host}`], {
    stopSignal: 'SIGTERM',
    readyText: 'ready for connections',
  })
  return { url: `mysql://root@${host}:${port}/mysql`, stop: server.stop }
}

/** Starts Redis or Valkey. The tests start a cluster with the programs `redis-server` and `redis-cli` in the folder `path`. */
export const startRedis = async ({ wrap }, parent, product) => {
  const program = await wrap(`usr/bin/${product}-server`, 'redis-server')
  await wrap(`usr/bin/${product}-cli`, 'redis-cli')
  const folder = await makeFolder(parent, product)
  const port = await findFreePort()
  const settings = ['--port', port, '--bind', host, '--dir', folder, '--save', '', '--appendonly', 'yes']
  const server = await serve(folder, [program, ...settings.map(String), '--maxmemory-policy', 'noeviction'], {
    stopSignal: 'SIGTERM',
    readyText: 'Ready to accept connections',
  })
  return { url: `redis://${host}:${port}`, stop: server.stop, path: dirname(program) }
}

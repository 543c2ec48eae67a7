// Starts the servers of the matrix: each on a free port of 127.0.0.1, with its files in a folder of its own.
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { run, startServer } from '../processes.mjs'

// PostgreSQL and PgBouncer refuse to run as root: then everything runs as nobody.
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

const findFreePort = () =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, host, () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

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
  const server = await startServer(postgres, ['-D', data, '-p', String(port), ...settings], {
    cwd: folder,
    env,
    user,
    stopSignal: 'SIGINT',
    readyText: 'database system is ready to accept connections',
  })
  return { url: `postgres://postgres@${host}:${port}/postgres`, stop: server.stop }
}

/** Starts PgBouncer in transaction mode in front of a PostgreSQL. */
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
  const server = await startServer(program, [join(folder, 'settings.ini')], {
    cwd: folder,
    env,
    user,
    stopSignal: 'SIGQUIT',
    readyText: 'process up',
  })
  return { url: `postgres://postgres@${host}:${port}/postgres`, stop: server.stop }
}

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

export const startMariadb = async ({ wrap, folder: root }, parent) => {
  const [program] = [await wrap('usr/sbin/mariadbd'), await wrap('usr/bin/my_print_defaults')]
  const folder = await makeFolder(parent, 'mariadb')
  const place = ['--no-defaults', `--basedir=${join(root, 'usr')}`, `--datadir=${join(folder, 'data')}`]
  // A starting MariaDB deletes every #sql* file in its tmpdir, which may be temporary tables of another server.
  const temporary = [`--tmpdir=${folder}`]
  const options = ['--auth-root-authentication-method=normal', '--skip-test-db', '--force']
  await run(join(root, 'usr/bin/mariadb-install-db'), [...place, ...temporary, ...options], { cwd: folder, env, user })
  const share = `--lc-messages-dir=${join(root, 'usr/share/mariadb')}`
  return startMysqlServer(program, [...place, ...temporary, share, '--innodb-flush-log-at-trx-commit=2'], folder)
}

const startMysqlServer = async (program, args, folder) => {
  const port = await findFreePort()
  const socket = [`--socket=${join(folder, 'socket')}`, `--pid-file=${join(folder, 'pid')}`]
  const server = await startServer(program, [...args, ...socket, `--port=${port}`, `--bind-address=${host}`], {
    cwd: folder,
    env,
    user,
    stopSignal: 'SIGTERM',
    readyText: 'ready for connections',
  })
  return { url: `mysql://root@${host}:${port}/mysql`, stop: server.stop }
}

/** Starts Redis or Valkey. Its programs are also found under the names of Redis, for a cluster of the tests' own. */
export const startRedis = async ({ wrap }, parent, product) => {
  const program = await wrap(`usr/bin/${product}-server`, 'redis-server')
  await wrap(`usr/bin/${product}-cli`, 'redis-cli')
  const folder = await makeFolder(parent, product)
  const port = await findFreePort()
  const settings = ['--port', port, '--bind', host, '--dir', folder, '--save', '', '--appendonly', 'yes']
  const server = await startServer(program, [...settings.map(String), '--maxmemory-policy', 'noeviction'], {
    cwd: folder,
    env,
    user,
    stopSignal: 'SIGTERM',
    readyText: 'Ready to accept connections',
  })
  return { url: `redis://${host}:${port}`, stop: server.stop, path: dirname(program) }
}

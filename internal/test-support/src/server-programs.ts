import { join } from 'node:path'
import { type Place, runProgram, type ServerProgram } from './own-server.js'

/** Where the programs of a server are. */
export interface Installation {
  /** Returns the path of a program. */
  readonly find: (name: string) => string
  /** The folder with the files of the programs, such as `/usr`. */
  readonly prefix: string
  /**
   * Whether an acknowledged write is on disk, as docs/reliability.md requires. A server that loses
   * writes in a crash is faster.
   */
  readonly isDurable: boolean
}

/** PostgreSQL. `settings` are in the form `name=value`. */
export const postgresProgram = (
  { find, isDurable }: Installation,
  settings: readonly string[] = [],
): ServerProgram => ({
  command: find('postgres'),
  user: 'postgres',
  prepare: async (place) => {
    const options = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C', '--no-sync']
    await runProgram({ command: find('initdb'), args: [...options, '-D', join(place.folder, 'data')] }, place)
  },
  args: ({ folder, port }) => [
    ...['-D', join(folder, 'data'), '-k', folder, '-h', '127.0.0.1', '-p', `${port}`],
    ...(isDurable ? settings : ['fsync=off', 'max_connections=200']).flatMap((setting) => ['-c', setting]),
  ],
  readyLine: 'database system is ready to accept connections',
  // The immediate shutdown: all processes abort, and the next start recovers from the log. SIGKILL
  // would end one process only.
  crashSignal: 'SIGQUIT',
  cleanSignal: 'SIGINT',
  url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
})

/** A standby of the PostgreSQL at a URL. */
export const standbyProgram = (installation: Installation, primaryUrl: string): ServerProgram => ({
  ...postgresProgram(installation),
  prepare: async (place) => {
    const args = ['-d', primaryUrl, '-D', join(place.folder, 'data'), '-R', '--checkpoint=fast', '--no-sync']
    await runProgram({ command: installation.find('pg_basebackup'), args }, place)
  },
  readyLine: 'database system is ready to accept read-only connections',
})

/** PgBouncer in transaction mode, in front of a PostgreSQL. */
export const pgbouncerProgram = (
  { find }: Installation,
  { postgresUrl, settings = [] }: { readonly postgresUrl: string; readonly settings?: readonly string[] },
): ServerProgram => ({
  command: find('pgbouncer'),
  user: 'postgres',
  files: ({ port, folder }) => ({
    users: '"postgres" ""\n',
    'settings.ini': [
      '[databases]',
      `* = host=127.0.0.1 port=${new URL(postgresUrl).port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${join(folder, 'users')}`,
      'pool_mode = transaction',
      'max_client_conn = 400',
      ...settings,
      '',
    ].join('\n'),
  }),
  args: ({ folder }) => [join(folder, 'settings.ini')],
  readyLine: 'process up',
  cleanSignal: 'SIGQUIT',
  url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres`,
})

/** MariaDB. */
export const mariadbProgram = (installation: Installation): ServerProgram => {
  const { find, prefix } = installation
  // Unpacked servers would look for their messages in /usr/share.
  const messages = prefix === '/usr' ? [] : [`--lc-messages-dir=${join(prefix, 'share/mariadb')}`]
  return {
    ...mysqlServer(installation, 'mariadbd', messages),
    url: (port) => `mysql://root@127.0.0.1:${port}/test`,
    prepare: async (place) => {
      const options = ['--auth-root-authentication-method=normal', '--force']
      const args = [...toFolders(prefix, place), ...options]
      await runProgram({ command: find('mariadb-install-db'), args }, place)
    },
  }
}

/** A node of a MariaDB Galera cluster. */
export const galeraProgram = (
  installation: Installation,
  { position, groupPorts, transferPorts }: GaleraSettings,
): ServerProgram => {
  const node = mariadbProgram(installation)
  const isFirst = position === 0
  const group = `127.0.0.1:${groupPorts[position]}`
  const provider = [
    `base_port=${groupPorts[position]}`,
    `gmcast.listen_addr=tcp://${group}`,
    'evs.keepalive_period=PT0.5S',
    'evs.suspect_timeout=PT2S',
  ]
  return {
    ...node,
    // The other nodes receive the files of the first one.
    prepare: isFirst ? node.prepare : (place) => runProgram({ command: 'mkdir', args: ['data'] }, place),
    args: (place) => [
      ...node.args(place),
      ...(isFirst ? ['--wsrep-new-cluster'] : []),
      '--wsrep-on=ON',
      `--wsrep-provider=${galeraLibrary}`,
      `--wsrep-provider-options=${provider.join(';')}`,
      `--wsrep-cluster-address=gcomm://${groupPorts.map((port) => `127.0.0.1:${port}`).join(',')}`,
      `--wsrep-node-address=${group}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${transferPorts[position]}`,
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      // Nodes copy the log too.
      '--innodb-log-file-size=8M',
      // A read waits for the writes that other nodes have acknowledged.
      '--wsrep-sync-wait=7',
      // Every conflict reaches the client.
      '--wsrep-retry-autocommit=0',
    ],
    readyLine: 'Synchronized with group',
    url: (port) => `mysql://root@127.0.0.1:${port}/test`,
  }
}

/** The replication of Galera, in Debian's package galera-4. */
export const galeraLibrary = '/usr/lib/galera/libgalera_smm.so'

interface GaleraSettings {
  /** The position of the node in the lists. The node at 0 starts the cluster. */
  readonly position: number
  /** The ports for replication. */
  readonly groupPorts: readonly number[]
  /** The ports where a new node receives the files of another one. */
  readonly transferPorts: readonly number[]
}

/** MySQL. */
export const mysqlProgram = (installation: Installation): ServerProgram => ({
  ...mysqlServer(installation, 'mysqld', ['--mysqlx=OFF', '--secure-file-priv=NULL']),
  prepare: async (place) => {
    const args = [...toFolders(installation.prefix, place), '--secure-file-priv=NULL', '--initialize-insecure']
    await runProgram({ command: installation.find('mysqld'), args }, place)
  },
})

const mysqlServer = (
  { find, prefix, isDurable }: Installation,
  name: string,
  settings: readonly string[],
): Omit<ServerProgram, 'prepare'> => ({
  command: find(name),
  user: 'mysql',
  args: (place) => [
    ...toFolders(prefix, place),
    ...settings,
    ...(isDurable ? [] : ['--innodb-flush-log-at-trx-commit=2']),
    `--port=${place.port}`,
    '--bind-address=127.0.0.1',
    `--socket=${join(place.folder, 'socket')}`,
    `--pid-file=${join(place.folder, 'pid')}`,
  ],
  readyLine: 'ready for connections',
  url: (port) => `mysql://root@127.0.0.1:${port}/mysql`,
})

// A starting MariaDB deletes every `#sql*` file in its folder for temporary files. In the system's
// folder these are temporary tables of other servers.
const toFolders = (prefix: string, { folder }: Place): readonly string[] => [
  '--no-defaults',
  `--basedir=${prefix}`,
  `--datadir=${join(folder, 'data')}`,
  `--tmpdir=${folder}`,
]

/** Redis or Valkey, without eviction. `primary` is the server that it replicates. */
export const redisProgram = ({ find, isDurable }: Installation, primary?: URL): ServerProgram => ({
  command: find('redis-server'),
  args: ({ folder, port }) => {
    const settings = {
      port: `${port}`,
      bind: '127.0.0.1',
      dir: folder,
      save: '',
      appendonly: 'yes',
      appendfsync: isDurable ? 'always' : 'everysec',
      'maxmemory-policy': 'noeviction',
      'repl-diskless-sync-delay': '0',
    }
    const replication = primary === undefined ? [] : ['--replicaof', primary.hostname, primary.port]
    return [...toArguments(settings), ...replication]
  },
  readyLine: 'Ready to accept connections',
  url: (port) => `redis://127.0.0.1:${port}`,
})

const toArguments = (settings: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])

/** A node of a Redis Cluster, which listens for the other nodes at a port of its own. */
export const clusterNodeProgram = (
  installation: Installation,
  busPort: number,
  further: Readonly<Record<string, string>>,
): ServerProgram => {
  const node = redisProgram(installation)
  const settings = {
    appendonly: 'no',
    'cluster-enabled': 'yes',
    'cluster-port': `${busPort}`,
    'cluster-require-full-coverage': 'no',
    ...further,
  }
  return { ...node, args: (place) => [...node.args(place), ...toArguments(settings)] }
}

/** One of three Redis Sentinels that watch a primary. */
export const sentinelProgram = (installation: Installation, primary: URL): ServerProgram => ({
  ...redisProgram(installation),
  files: ({ port, folder }) => ({
    'sentinel.conf': [
      `port ${port}`,
      'bind 127.0.0.1',
      `dir ${folder}`,
      `sentinel monitor primary ${primary.hostname} ${primary.port} 2`,
      'sentinel down-after-milliseconds primary 1000',
      'sentinel failover-timeout primary 5000',
      '',
    ].join('\n'),
  }),
  args: ({ folder }) => [join(folder, 'sentinel.conf'), '--sentinel'],
  readyLine: '+monitor master primary',
})

import { execFile } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { askRedis } from './databases.js'
import { openEach } from './open-all.js'
import { type OwnServer, type ServerProgram, startOwnServer } from './own-server.js'
import { explainMissing, type Prerequisite } from './prerequisite.js'
import { findFreePort } from './server-process.js'
import {
  clusterNodeProgram,
  type Installation,
  mariadbProgram,
  postgresProgram,
  redisProgram,
} from './server-programs.js'

/** A kind of server that tests start themselves. A server of a missing kind cannot be started. */
export interface OwnServerKind extends Prerequisite {
  readonly name: 'PostgreSQL' | 'MariaDB' | 'Redis'
  /** Starts an empty server, with the settings that docs/reliability.md requires. */
  readonly start: () => Promise<OwnServer>
}

const known = [
  ['PostgreSQL', ['postgres', 'initdb'], postgresProgram],
  ['MariaDB', ['mariadbd', 'mariadb-install-db'], mariadbProgram],
  ['Redis', ['redis-server'], redisProgram],
] as const

/**
 * Returns every kind of server. A kind is missing when its programs are not installed.
 *
 * @example
 * const [postgres] = findOwnServers()
 * const server = await postgres?.start()
 */
export const findOwnServers = (): readonly OwnServerKind[] =>
  known.map(([name, programs, toProgram]) => {
    const { missing, launch } = findPrograms(name, programs)
    return { name, missing, start: () => launch(toProgram) }
  })

/** Finds the installed programs of a kind of server. A server with missing programs cannot be launched. */
export const findPrograms = (name: string, programs: readonly string[]) => {
  const missing = explainMissing(
    programs.every((program) => findProgram(program) !== undefined),
    `the tests cannot start and stop a ${name} of their own. Install what provides ${programs.join(' and ')}.`,
  )
  return {
    name,
    missing,
    /** Starts a server with the settings that docs/reliability.md requires. */
    launch: async (toProgram: (installation: Installation) => ServerProgram): Promise<OwnServer> => {
      if (missing !== undefined) throw new Error(missing)
      const find = (program: string): string => findProgram(program) ?? program
      return startOwnServer(toProgram({ find, prefix: '/usr', isDurable: true }))
    },
  }
}

const debianPostgres = '/usr/lib/postgresql'

/**
 * Returns the file of an installed program, `undefined` when none exists. Searches `PATH` and
 * Debian's folders of servers.
 */
export const findProgram = (...names: readonly string[]): string | undefined => {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', ...listPostgresFolders()]
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable)
}

/** Returns whether a file can be executed. */
export const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Newest version first. */
const listPostgresFolders = (): readonly string[] => {
  try {
    const versions = readdirSync(debianPostgres).sort((a, b) => Number(b) - Number(a))
    return versions.map((version) => join(debianPostgres, version, 'bin'))
  } catch {
    return []
  }
}

/** Nodes of a cluster that this process started. */
export type ClusterNodes = Awaited<ReturnType<typeof startClusterNodes>>

const findCluster = () => findPrograms('Redis Cluster', ['redis-server', 'redis-cli'])

/** Returns why no cluster can be started here, `undefined` when one can. */
export const explainMissingCluster = (): string | undefined => findCluster().missing

/** How to start a cluster. */
interface ClusterOptions {
  /** The number of replicas of each master. @default 0 */
  readonly replicas?: number
  /** Further settings of all nodes. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * Starts a cluster of so many nodes, which also work while another is down. The first nodes are
 * masters. Resolves when each node has a complete view of the cluster.
 */
export const startClusterNodes = async (count: number, { replicas = 0, settings = {} }: ClusterOptions = {}) => {
  const { launch } = findCluster()
  const startNode = async (): Promise<OwnServer> => {
    const busPort = await findFreePort()
    return launch((installation) => clusterNodeProgram(installation, busPort, settings))
  }
  const nodes = await openEach(Array.from({ length: count }, startNode), ({ remove }) => remove())
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map(({ remove }) => remove()))
  }
  const urls = nodes.map(({ url }) => url)
  const addresses = urls.map((url) => new URL(url).host)
  try {
    const args = ['--cluster', 'create', ...addresses, '--cluster-replicas', `${replicas}`, '--cluster-yes']
    await promisify(execFile)('redis-cli', args)
    await Promise.all(urls.map(untilClusterIsWhole))
  } catch (failure) {
    await stop()
    throw failure
  }
  return {
    urls,
    processIds: nodes.map(({ processId }) => processId() ?? 0),
    /** Returns the node at a port. */
    nodeAt: (port: number): OwnServer => {
      const node = nodes.find(({ url }) => Number(new URL(url).port) === port)
      if (node === undefined) throw new RangeError(`The cluster has no node at port ${port}.`)
      return node
    },
    /** Ends the nodes and removes their files. */
    stop,
  }
}

const untilClusterIsWhole = async (url: string): Promise<void> => {
  while (!String(await askRedis(url, 'CLUSTER', 'INFO')).includes('cluster_state:ok')) await setTimeout(50)
}

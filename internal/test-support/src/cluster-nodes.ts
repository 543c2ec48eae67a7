import { execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { askRedis } from './databases.js'
import { explainMissing } from './prerequisite.js'
import { type ServerProcess, startServerProcess } from './server-process.js'

/** Nodes of a cluster that this process started. */
export interface ClusterNodes {
  readonly urls: readonly string[]
  readonly ports: readonly number[]
  readonly processIds: readonly number[]
  /** Kills the node at a port. */
  readonly kill: (port: number) => Promise<void>
  /** Starts the node at a port again. */
  readonly start: (port: number) => Promise<unknown>
  /** Ends the nodes and removes their files. */
  readonly stop: () => Promise<void>
}

const run = promisify(execFile)
const host = '127.0.0.1'
const serverCommand = 'redis-server'
const cliCommand = 'redis-cli'

/** Returns why no cluster can be started here, `undefined` when one can. */
export const explainMissingCluster = (): string | undefined =>
  explainMissing(
    [serverCommand, cliCommand].every((command) => spawnSync(command, ['--version']).status === 0),
    'the tests cannot start a Redis Cluster of their own. Install a package that provides redis-server and redis-cli.',
  )

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
export const startClusterNodes = async (
  count: number,
  { replicas = 0, settings = {} }: ClusterOptions = {},
): Promise<ClusterNodes> => {
  const directory = await mkdtemp(join(tmpdir(), 'jwt-auth-redis-'))
  const nodes = new Map<number, ServerProcess>()
  const stop = async (): Promise<void> => {
    await Promise.all([...nodes.values()].map((node) => node.stop('SIGKILL')))
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const ports = await findFreePorts(count)
    const start = async (port: number) => nodes.set(port, await startNode(directory, port, settings))
    await Promise.all(ports.map(start))
    const addresses = ports.map((port) => `${host}:${port}`)
    await run(cliCommand, ['--cluster', 'create', ...addresses, '--cluster-replicas', `${replicas}`, '--cluster-yes'])
    const urls = addresses.map((address) => `redis://${address}`)
    await Promise.all(urls.map(untilClusterIsWhole))
    return {
      urls,
      ports,
      processIds: [...nodes.values()].map(({ processId }) => processId),
      kill: async (port) => nodes.get(port)?.stop('SIGKILL'),
      start,
      stop,
    }
  } catch (failure) {
    await stop()
    throw failure
  }
}

const startNode = async (
  directory: string,
  port: number,
  further: NonNullable<ClusterOptions['settings']>,
): Promise<ServerProcess> => {
  // Replicas must not share files with their master.
  await mkdir(join(directory, `${port}`), { recursive: true })
  const settings = {
    port: String(port),
    bind: host,
    dir: join(directory, `${port}`),
    save: '',
    appendonly: 'no',
    'repl-diskless-sync-delay': '0',
    'cluster-enabled': 'yes',
    'cluster-config-file': 'nodes.conf',
    'cluster-require-full-coverage': 'no',
    ...further,
  }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  return startServerProcess({ command: serverCommand, args, readyLine: 'Ready to accept connections' })
}

const untilClusterIsWhole = async (url: string): Promise<void> => {
  while (!String(await askRedis(url, 'CLUSTER', 'INFO')).includes('cluster_state:ok')) await setTimeout(50)
}

/** A node listens at its port and, for the other nodes, at the one 10,000 above. */
const busOffset = 10_000

const findFreePorts = async (count: number): Promise<readonly number[]> => {
  const ports: number[] = []
  const servers: Server[] = []
  while (ports.length < count) {
    const bus = await listen(0)
    servers.push(bus.server)
    const own = await listen(bus.port - busOffset).catch(() => undefined)
    if (own === undefined) continue
    servers.push(own.server)
    ports.push(own.port)
  }
  await Promise.all(servers.map(async (server) => once(server.close(), 'close')))
  return ports
}

const listen = async (port: number): Promise<{ readonly server: Server; readonly port: number }> => {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return { server, port: address.port }
}

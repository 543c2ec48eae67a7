import { execFile } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { askRedis } from './databases.js'
import { openEach } from './open-all.js'
import type { OwnServer } from './own-server.js'
import { findPrograms } from './own-servers.js'
import { findFreePort } from './server-process.js'
import { clusterNodeProgram } from './server-programs.js'

/** Nodes of a cluster that this process started. */
export interface ClusterNodes {
  readonly urls: readonly string[]
  readonly processIds: readonly number[]
  /** Returns the node at a port. */
  readonly nodeAt: (port: number) => OwnServer
  /** Ends the nodes and removes their files. */
  readonly stop: () => Promise<void>
}

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
export const startClusterNodes = async (
  count: number,
  { replicas = 0, settings = {} }: ClusterOptions = {},
): Promise<ClusterNodes> => {
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
    nodeAt: (port) => {
      const node = nodes.find(({ url }) => Number(new URL(url).port) === port)
      if (node === undefined) throw new RangeError(`The cluster has no node at port ${port}.`)
      return node
    },
    stop,
  }
}

const untilClusterIsWhole = async (url: string): Promise<void> => {
  while (!String(await askRedis(url, 'CLUSTER', 'INFO')).includes('cluster_state:ok')) await setTimeout(50)
}

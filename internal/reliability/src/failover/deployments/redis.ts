import {
  askRedis,
  explainMissingCluster,
  findPrograms,
  openAll,
  redisProgram,
  sentinelProgram,
  startClusterNodes,
} from '@jwt-auth/test-support'
import { startFaultProxy } from '../../faults/proxy/fault-proxy.js'
import { until } from '../../faults/until.js'
import type { Deployment, DeploymentKind, Load } from '../deployment.js'

const missing = explainMissingCluster()

/** A Redis Cluster of three masters with a replica each, of which one master is killed. */
export const clusterDeployments: readonly DeploymentKind[] = [
  { name: 'Redis Cluster', missing, loss: 'possible', open: () => openCluster({ minReplicas: 1 }) },
  {
    name: 'Redis Cluster, the replica first',
    missing,
    loss: 'never',
    open: () => openCluster({ minReplicas: 1, isReplicaFirst: true }),
  },
  {
    name: 'Redis Cluster, the replica first, without min-replicas-to-write',
    missing,
    loss: 'certain',
    open: () => openCluster({ minReplicas: 0, isReplicaFirst: true }),
  },
]

// Enough for writes on the master that has no replica.
const requests = 300
const limitMs = 60_000

interface ClusterSettings {
  readonly minReplicas: number
  /** Whether the replica of the master is killed before it, with every write of the master. */
  readonly isReplicaFirst?: boolean
}

const openCluster = ({ minReplicas, isReplicaFirst = false }: ClusterSettings): Promise<Deployment> =>
  openAll(async (keep) => {
    const nodes = await startClusterNodes(6, {
      replicas: 1,
      settings: {
        appendonly: 'yes',
        appendfsync: 'always',
        'min-replicas-to-write': `${minReplicas}`,
        'cluster-node-timeout': '2000',
        // A replica that was down may take over.
        'cluster-replica-validity-factor': '0',
      },
    })
    keep(nodes.stop)
    const ports = nodes.urls.map((url) => Number(new URL(url).port))
    const replicas = await Promise.all(ports.slice(0, 3).map(untilReplicated))
    const [master, replica] = [ports[0], replicas[0]?.port]
    if (master === undefined || replica === undefined) throw new RangeError('The cluster has no node.')
    return {
      storageUrls: [`redis://127.0.0.1?cluster=${ports.join(',')}`],
      beforeFailure: async ({ traffic }: Load) => {
        if (!isReplicaFirst) return
        await withoutWrites(master, () => nodes.nodeAt(replica).stop('crash'))
        const sent = traffic.records.length
        await until('the service has received requests', () => traffic.records.length >= sent + requests, limitMs)
      },
      failOver: async () => {
        await nodes.nodeAt(master).stop('crash')
        if (isReplicaFirst) await nodes.nodeAt(replica).start()
        await until('the replica is promoted', async () => (await readReplication(replica)).role === 'master', limitMs)
        await nodes.nodeAt(master).start()
        await untilReplicated(replica)
      },
    }
  })

const urlOf = (port: number): string => `redis://127.0.0.1:${port}`

const readReplication = async (port: number) => {
  const text = String(await askRedis(urlOf(port), 'INFO', 'replication'))
  const [, replicaPort, offset] = /slave0:.*port=(\d+),state=online,offset=(\d+)/.exec(text) ?? []
  return {
    role: /role:(\w+)/.exec(text)?.[1],
    offset: Number(/master_repl_offset:(\d+)/.exec(text)?.[1]),
    /** The connected replica. */
    replica: replicaPort === undefined ? undefined : { port: Number(replicaPort), offset: Number(offset) },
  }
}

const untilReplicated = async (port: number) => {
  let replica: { readonly port: number; readonly offset: number } | undefined
  const isConnected = async (): Promise<boolean> => {
    replica = (await readReplication(port)).replica
    return replica !== undefined
  }
  await until(`the master at port ${port} has a replica`, isConnected, limitMs)
  return replica
}

/** Ends the replica of a master while the replica has every write of the master. */
const withoutWrites = async (master: number, endReplica: () => Promise<void>): Promise<void> => {
  await askRedis(urlOf(master), 'CLIENT', 'PAUSE', `${limitMs}`, 'WRITE')
  const hasEverything = async (): Promise<boolean> => {
    const { offset, replica } = await readReplication(master)
    return offset === replica?.offset
  }
  await until('the replica has every write', hasEverything, limitMs)
  await endReplica()
  const isAlone = async (): Promise<boolean> => (await readReplication(master)).replica === undefined
  await until('the master has lost its replica', isAlone, limitMs)
  await askRedis(urlOf(master), 'CLIENT', 'UNPAUSE')
}

const sentinel = findPrograms('Redis Sentinel', ['redis-server'])

/** A Redis that is killed. Three Sentinels promote its replica. */
export const sentinelDeployment: DeploymentKind = {
  name: 'Redis Sentinel',
  missing: sentinel.missing,
  loss: 'possible',
  open: () =>
    openAll(async (keep) => {
      const primary = await sentinel.launch(redisProgram)
      keep(primary.remove)
      const primaryUrl = new URL(primary.url)
      const replica = await sentinel.launch((installation) => redisProgram(installation, primaryUrl))
      keep(replica.remove)
      const sentinels = [1, 2, 3].map(() =>
        sentinel.launch((installation) => sentinelProgram(installation, primaryUrl)),
      )
      for (const one of sentinels) keep(async () => (await one).remove())
      const urls = (await Promise.all(sentinels)).map(({ url }) => url)
      const areReady = async (): Promise<boolean> => {
        const views = await Promise.all(urls.map(readView))
        return views.every((view) => view.includes('slaves=1,sentinels=3'))
      }
      await until('the Sentinels know the replica and each other', areReady, limitMs)
      const proxy = await startFaultProxy(primary.url)
      keep(proxy.close)
      const isPromoted = async (): Promise<boolean> => {
        const views = await Promise.all(urls.map(readView))
        return views.some((view) => view.includes(`address=${new URL(replica.url).host},`))
      }
      return {
        storageUrls: [proxy.url],
        failOver: async () => {
          await primary.stop('crash')
          await until('the Sentinels have promoted the replica', isPromoted, limitMs)
          proxy.moveTo(replica.url)
        },
      }
    }),
}

const readView = async (url: string): Promise<string> => String(await askRedis(url, 'INFO', 'sentinel'))

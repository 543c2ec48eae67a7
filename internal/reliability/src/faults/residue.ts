import type { InstanceReport } from '../cluster/instance/instance-protocol.js'
import { poolSize, type Stage } from './stage.js'
import { until } from './until.js'

// Shorter than the 30 s after which a pool closes idle connections, so that a connection outside the pool is found.
const limitMs = 20_000
// MariaDB updates its list of transactions only after a tenth of a second without queries of the list.
const intervalMs = 150

/** Returns what a fault has left behind, one text each: busy connections, open transactions and unhandled rejections. */
export const findResidue = async (stage: Stage): Promise<readonly string[]> => {
  let residue: readonly string[] = []
  const isClean = async (): Promise<boolean> => {
    residue = await listResidue(stage)
    return residue.length === 0
  }
  await until('nothing is left', isClean, limitMs, intervalMs).catch(() => {})
  return residue
}

const listResidue = async ({ instance, probe, proxy }: Stage): Promise<readonly string[]> => {
  const [{ pool, unhandledRejections }, openTransactions] = await Promise.all([
    instance.report(),
    probe.countOpenTransactions(),
  ])
  const connections = proxy.connections()
  return [
    ...describePool(pool),
    ...(connections > poolSize ? [`the service holds ${connections} connections`, ...proxy.describeClients()] : []),
    ...(openTransactions > 0 ? [`${openTransactions} transactions are open`] : []),
    ...unhandledRejections.map((rejection) => `unhandled rejection: ${rejection}`),
  ]
}

const describePool = ({ used, pending }: InstanceReport['pool']): readonly string[] =>
  used + pending > 0 ? [`the pool has ${used} connections in use and ${pending} waiting`] : []

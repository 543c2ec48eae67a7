import type { InstanceReport } from '../cluster/instance/instance-protocol.js'
import { poolSize, type Stage } from './stage.js'
import { until } from './until.js'

// Less than the 30 s after which a pool closes idle connections: a connection outside the pool would hide behind that.
const patienceMs = 20_000
// MariaDB shows its list of transactions anew only to those who have not asked for a tenth of a second.
const betweenLooksMs = 150

/** What a fault has left behind that should have gone by itself, each in one line: none, when all is well. */
export const findResidue = async (stage: Stage): Promise<readonly string[]> => {
  let residue: readonly string[] = []
  const isClean = async (): Promise<boolean> => {
    residue = await listResidue(stage)
    return residue.length === 0
  }
  await until('nothing is left', isClean, patienceMs, betweenLooksMs).catch(() => {})
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
    ...unhandledRejections.map((rejection) => `nobody handled the rejection ${rejection}`),
  ]
}

const describePool = ({ used, pending }: InstanceReport['pool']): readonly string[] =>
  used + pending > 0 ? [`the pool has ${used} connections in use and ${pending} waiting`] : []

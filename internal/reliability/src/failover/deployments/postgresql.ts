import { connectTo, findPrograms, openAll, postgresProgram, standbyProgram } from '@jwt-auth/test-support'
import { startFaultProxy } from '../../faults/proxy/fault-proxy.js'
import type { Deployment, DeploymentKind } from '../deployment.js'

const { missing, launch } = findPrograms('PostgreSQL', ['postgres', 'initdb', 'pg_basebackup'])

/** A PostgreSQL whose standby is promoted when the primary is lost. */
export const postgresDeployments: readonly DeploymentKind[] = [
  { name: 'PostgreSQL, synchronous standby', missing, loss: 'never', open: () => openPair(true) },
  { name: 'PostgreSQL, asynchronous standby', missing, loss: 'certain', open: () => openPair(false) },
]

const anHourMs = 3_600_000
const latencyMs = 20
// More than each visitor can take without a login, a refresh or a logout.
const lateSteps = 32

const openPair = (isSynchronous: boolean): Promise<Deployment> =>
  openAll(async (keep) => {
    const settings = isSynchronous ? ['synchronous_standby_names=*'] : []
    const primary = await launch((installation) => postgresProgram(installation, settings))
    keep(primary.remove)
    const replication = await startFaultProxy(primary.url)
    keep(replication.close)
    const standby = await launch((installation) => standbyProgram(installation, replication.url))
    keep(standby.remove)
    const proxy = await startFaultProxy(primary.url)
    keep(proxy.close)
    const delayReplication = (delayMs: number): Promise<void> =>
      replication.setFault({ kind: 'delay', way: 'to-client', delayMs })
    await delayReplication(latencyMs)
    return {
      storageUrls: [proxy.url],
      beforeFailure: async ({ traffic }) => {
        // A synchronous standby that receives nothing would stop all writes.
        if (isSynchronous) return
        await delayReplication(anHourMs)
        await traffic.untilDone(lateSteps)
      },
      failOver: async () => {
        await replication.close()
        await primary.stop('crash')
        await promote(standby.url)
        proxy.moveTo(standby.url)
      },
    }
  })

const promote = async (url: string): Promise<void> => {
  const knex = connectTo(url)
  try {
    await knex.raw('select pg_promote()')
  } finally {
    await knex.destroy()
  }
}

import {
  askSql,
  findPrograms,
  openAll,
  pgbouncerProgram,
  postgresProgram,
  standbyProgram,
} from '@jwt-auth/test-support'
import { startFaultProxy } from '../../faults/proxy/fault-proxy.js'
import type { Deployment, DeploymentKind } from '../deployment.js'

const postgres = findPrograms('PostgreSQL', ['postgres', 'initdb', 'pg_basebackup'])

/** A PostgreSQL whose standby is promoted when the primary is lost. */
export const postgresDeployments: readonly DeploymentKind[] = [
  { name: 'PostgreSQL, synchronous standby', missing: postgres.missing, loss: 'never', open: () => openPair(true) },
  { name: 'PostgreSQL, asynchronous standby', missing: postgres.missing, loss: 'certain', open: () => openPair(false) },
]

const anHourMs = 3_600_000
const latencyMs = 20
// More than each visitor can take without a login, a refresh or a logout.
const lateSteps = 32

const openPair = (isSynchronous: boolean): Promise<Deployment> =>
  openAll(async (keep) => {
    const settings = isSynchronous ? ['synchronous_standby_names=*'] : []
    const primary = await postgres.launch((installation) => postgresProgram(installation, settings))
    keep(primary.remove)
    const replication = await startFaultProxy(primary.url)
    keep(replication.close)
    const standby = await postgres.launch((installation) => standbyProgram(installation, replication.url))
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
        await askSql(standby.url, 'select pg_promote()')
        proxy.moveTo(standby.url)
      },
    }
  })

const pgbouncer = findPrograms('PgBouncer', ['postgres', 'initdb', 'pgbouncer'])

/** A PgBouncer in front of PostgreSQL that is killed and started again. */
export const pgbouncerDeployment: DeploymentKind = {
  name: 'PgBouncer, restarted',
  missing: pgbouncer.missing,
  loss: 'never',
  open: () =>
    openAll(async (keep) => {
      const database = await pgbouncer.launch(postgresProgram)
      keep(database.remove)
      const pooler = await pgbouncer.launch((installation) =>
        pgbouncerProgram(installation, { postgresUrl: database.url }),
      )
      keep(pooler.remove)
      const proxy = await startFaultProxy(pooler.url)
      keep(proxy.close)
      return {
        storageUrls: [proxy.url],
        failOver: async () => {
          await pooler.stop('crash')
          await pooler.start()
        },
      }
    }),
}

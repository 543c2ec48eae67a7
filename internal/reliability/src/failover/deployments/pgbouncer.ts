import { findPrograms, openAll, pgbouncerProgram, postgresProgram } from '@jwt-auth/test-support'
import { startFaultProxy } from '../../faults/proxy/fault-proxy.js'
import type { DeploymentKind } from '../deployment.js'

const { missing, launch } = findPrograms('PgBouncer', ['postgres', 'initdb', 'pgbouncer'])

/** A PgBouncer in front of PostgreSQL that is killed and started again. */
export const pgbouncerDeployment: DeploymentKind = {
  name: 'PgBouncer, restarted',
  missing,
  loss: 'never',
  open: () =>
    openAll(async (keep) => {
      const database = await launch(postgresProgram)
      keep(database.remove)
      const pooler = await launch((installation) => pgbouncerProgram(installation, { postgresUrl: database.url }))
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

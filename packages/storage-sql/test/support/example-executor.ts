import { createPooledExecutor } from '@jwt-auth/storage-sql/executor'
import type pg from 'pg'

export const exampleExecutor = (pool: pg.Pool) => {
  // pg ends the process when an idle connection is lost and the pool has no listener.
  pool.on('error', () => {})
  return createPooledExecutor<pg.PoolClient>({
    dialect: 'postgresql',
    acquire: () => pool.connect(),
    release: (client, discardReason) => client.release(discardReason !== undefined),
    send: async (client, text, values) => {
      const { rows, rowCount } = await client.query(text, [...values])
      return { rows, changedRows: rowCount ?? undefined }
    },
  })
}

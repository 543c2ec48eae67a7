import { connectTo } from '@jwt-auth/test-support'
import { startEndingPostgres } from '@jwt-auth/test-support/ending-postgres'
import { watchCrashes } from '@jwt-auth/test-support/recorders'
import createKnex from 'knex'
import { expect, it, onTestFinished } from 'vitest'
import { knexExecutor } from '../src/knex-executor.js'

it.each(['of its own', 'of pg'])(
  'a connection of knex with a pool %s that the server ends right after opening it rejects the call, and the process lives on',
  async (kind) => {
    const crashes = watchCrashes()
    const knex = connectTo(await startEndingPostgres(), { min: 0, max: 1 })
    const pool = new knex.client.driver.Pool({ ...knex.client.connectionSettings, max: 1 }).on('error', () => {})
    const client =
      kind === 'of pg'
        ? createKnex({ client: knex.client.config.client, connectionPool: pool, log: { warn: () => {} } })
        : knex
    onTestFinished(async () => {
      await knex.destroy()
      await pool.end()
    })
    const executor = knexExecutor(client, false)
    for (const _ of [1, 2, 3]) await expect(executor.query('select 1', [])).rejects.toThrow()
    expect(crashes).toEqual([])
  },
)

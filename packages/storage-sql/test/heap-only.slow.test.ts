import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import pg from 'pg'
import { afterAll, expect, it } from 'vitest'
import { sqlStorage } from '../src/index.js'

const postgresql = (await findDatabases()).filter(({ name }) => name === 'PostgreSQL')
const ids = Array.from({ length: 1_000 }, (_, id) => id)
const rotations = 20

describeEach(postgresql, 'rotations on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  afterAll(() => database.drop())

  it('are heap-only updates in nine of ten cases, when each session rotates every 31 seconds', async () => {
    // PostgreSQL reuses the space of a row that no snapshot can read. With one connection and without
    // autovacuum, which also analyzes the table, no other snapshot exists.
    const pool = new pg.Pool({ connectionString: database.url, max: 1 })
    const storage = sqlStorage(pgExecutor(pool))
    await storage.migrate()
    await pool.query('alter table jwt_auth_sessions set (autovacuum_enabled = false)')
    const users = createTestDirectory(ids.map((id) => ({ ...ann, id })))
    const { service, system } = createTestService({ storage, users })
    let tokens = await Promise.all(ids.map(async (id) => (await service.sessions.create(id)).refreshToken))
    for (let rotation = 0; rotation < rotations; rotation += 1) {
      system.advance(31_000)
      tokens = await Promise.all(tokens.map(async (token) => (await service.refresh(token)).refreshToken))
    }
    // A connection reports its counts when it ends.
    await pool.end()
    const findCounts = async (): Promise<{ all: number; heapOnly: number }> => {
      const [row] = await database.connect()('pg_stat_user_tables').where({ relname: 'jwt_auth_sessions' })
      return { all: Number(row?.n_tup_upd), heapOnly: Number(row?.n_tup_hot_upd) }
    }
    const all = ids.length * rotations
    await expect.poll(findCounts).toMatchObject({ all })
    expect((await findCounts()).heapOnly).toBeGreaterThanOrEqual(0.9 * all)
  })
})

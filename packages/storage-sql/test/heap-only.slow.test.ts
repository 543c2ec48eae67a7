import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { connectTo, findPrograms, postgresProgram } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { ann, createTestDirectory } from '@jwt-auth/test-support/test-directory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { sqlStorage } from '../src/index.js'

const postgresql = findPrograms('PostgreSQL', ['postgres', 'initdb'])
// PostgreSQL reuses the space of a row that no snapshot can read. On a server with one connection
// and without autovacuum, no other snapshot exists.
const settings = ['autovacuum=off', 'synchronous_commit=off']
const ids = Array.from({ length: 1_000 }, (_, id) => id)
const rotations = 20

describeEach([postgresql], 'rotations on $name', ({ launch }) => {
  it('are heap-only updates in nine of ten cases, when each session rotates every 31 seconds', async () => {
    const server = await launch((installation) => postgresProgram(installation, settings))
    onTestFinished(server.remove)
    const pool = new pg.Pool({ connectionString: server.url, max: 1 })
    const storage = sqlStorage(pgExecutor(pool))
    await storage.migrate()
    const users = createTestDirectory(ids.map((id) => ({ ...ann, id })))
    const { service, system } = createTestService({ storage, users })
    let tokens = await Promise.all(ids.map(async (id) => (await service.sessions.create(id)).refreshToken))
    for (let rotation = 0; rotation < rotations; rotation += 1) {
      system.advance(31_000)
      tokens = await Promise.all(tokens.map(async (token) => (await service.refresh(token)).refreshToken))
    }
    // A connection reports its counts when it ends.
    await pool.end()
    const all = ids.length * rotations
    const reader = connectTo(server.url, { min: 0, max: 1 })
    onTestFinished(() => reader.destroy())
    const findCounts = () => reader('pg_stat_user_tables').where({ relname: 'jwt_auth_sessions' }).first()
    await expect.poll(findCounts).toMatchObject({ n_tup_upd: `${all}` })
    expect(Number((await findCounts()).n_tup_hot_upd)).toBeGreaterThanOrEqual(0.9 * all)
  })
})

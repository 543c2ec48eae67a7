import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeConflicts } from '@jwt-auth/test-support/conflict-tests'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { knexExecutor } from '../src/knex-executor.js'

const session = sampleSession(1)
const start = 1_767_225_600_000
const listWaiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const [, postgres, mariadb] = await findDatabases()

describeEach([postgres], 'a conflict on $name', ({ createDatabase }) => {
  it('that the database reports is repeated, and resolves to the present state', async () => {
    const database = await createDatabase()
    const plain = database.connect()
    const first = knexStorage(plain)
    await first.migrate()
    await first.create(session)
    await plain.raw(
      "do $$ begin execute format('alter database %I set default_transaction_isolation = serializable', current_database()); end $$",
    )

    const strict = database.connect()
    const failures: unknown[] = []
    strict.on('query-error', (error) => failures.push(error.code))
    const other = await plain.transaction()
    await other('jwt_auth_sessions').where('id', session.id).update({ ended_at: start, end_reason: 'first' })
    const result = knexStorage(strict).end({ id: session.id, endedAt: start + 1, endReason: 'second' })
    await expect.poll(async () => (await plain.raw(listWaiting)).rows).toHaveLength(1)
    await other.commit()

    expect(await result).toEqual({ outcome: 'already-ended', endedAt: start, endReason: 'first' })
    expect(failures).toEqual(['40001'])
    await database.drop()
  })
})

describeEach([postgres, mariadb], 'the executor of knex on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect()

  beforeAll(() => knexStorage(knex).migrate())
  afterAll(() => database.drop())
  describeConflicts(name, knexExecutor(knex, false))
})

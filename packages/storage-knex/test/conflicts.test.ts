import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { describe, expect, it } from 'vitest'
import { isConflict } from '../src/storage-error.js'

const session = sampleSession(1)
const start = 1_767_225_600_000
const listWaiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const databases = (await findDatabases()).filter(({ name }) => name === 'PostgreSQL')

describeEach(databases, 'a conflict on $name', ({ createDatabase }) => {
  it('that the database gave up is tried again, and answers what is true by then', async () => {
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
    const answer = knexStorage(strict).end(session.id, { endedAt: start + 1, endReason: 'second' })
    await expect.poll(async () => (await plain.raw(listWaiting)).rows).toHaveLength(1)
    await other.commit()

    expect(await answer).toEqual({ outcome: 'already-ended', endedAt: start, endReason: 'first' })
    expect(failures).toEqual(['40001'])
    await database.drop()
  })
})

describe('isConflict', () => {
  it.each([
    ['40001', true],
    ['40P01', true],
    ['ER_LOCK_DEADLOCK', true],
    ['23505', false],
    ['ER_DUP_ENTRY', false],
    ['ECONNRESET', false],
  ])('takes the code %s for one: %s', (code, expected) => {
    expect(isConflict(Object.assign(new Error('failed'), { code }))).toBe(expected)
  })
})

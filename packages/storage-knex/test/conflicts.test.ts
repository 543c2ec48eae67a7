import type { SessionStorage } from '@jwt-auth/core'
import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexLimits, knexStorage } from '@jwt-auth/storage-knex'
import { isConflict } from '@jwt-auth/storage-sql/internal/storage-error'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { hourly } from '@jwt-auth/test-support/limiter-cases'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const session = sampleSession(1)
const start = 1_767_225_600_000
const listWaiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
const databases = await findDatabases()
const [postgres, servers] = [
  databases.filter(({ name }) => name === 'PostgreSQL'),
  databases.filter(({ name }) => name !== 'SQLite'),
]

describeEach(postgres, 'a conflict on $name', ({ createDatabase }) => {
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
    const result = knexStorage(strict).end(session.id, { endedAt: start + 1, endReason: 'second' })
    await expect.poll(async () => (await plain.raw(listWaiting)).rows).toHaveLength(1)
    await other.commit()

    expect(await result).toEqual({ outcome: 'already-ended', endedAt: start, endReason: 'first' })
    expect(failures).toEqual(['40001'])
    await database.drop()
  })
})

const ending = { endedAt: start, endReason: 'revoked' }
const { id: sessionId, issuer, verifierHash: expectedVerifierHash } = session
const rotation = { ...session, sessionId, expectedVerifierHash, verifierHash: 'next verifier' }

const calls: Readonly<Record<string, (storage: SessionStorage) => unknown>> = {
  create: (storage) => storage.create(sampleSession(2)),
  rotate: (storage) => storage.rotate(rotation),
  end: (storage) => storage.end(sessionId, ending),
  endAllForUser: (storage) => storage.endAllForUser(session, ending),
  endCreatedBefore: (storage) =>
    storage.endCreatedBefore({ issuer, createdBefore: session.createdAt + 1, limit: 10 }, ending),
  clearRecentVerifiers: (storage) => storage.clearRecentVerifiers(session.rotatedAt, 10),
  deleteExpired: (storage) => storage.deleteExpired(session.absoluteExpiresAt, 10),
  findByIds: (storage) => storage.findByIds([sessionId]),
  findBySelectorHash: (storage) => storage.findBySelectorHash(session.selectorHash),
  list: (storage) => storage.list(session, { activeAt: start, limit: 10 }),
}

describe('a conflict that persists', async () => {
  const code = '40P01'
  const database = await databases[0].createDatabase()
  const storage = knexStorage(database.connect())

  beforeAll(async () => {
    await storage.migrate()
    await storage.create(session)
  })
  afterAll(() => database.drop())

  it.concurrent.each(Object.entries(calls))('rejects %s after fifty attempts, and changes nothing', async (_, call) => {
    const conflicting = database.connect()
    let sent = 0
    conflicting.client.query = async (): Promise<never> => {
      sent += 1
      throw Object.assign(new Error('rolled back'), { code })
    }

    await expect(call(knexStorage(conflicting))).rejects.toMatchObject({ code })
    expect(sent).toBe(50)
    expect(await storage.findByIds([sessionId, sampleSession(2).id])).toEqual([session])
  })
})

const conflictsOfCounts = {
  SQLite: [],
  PostgreSQL: [
    "create function conflict() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = 'deadlock_detected'; end $$",
    'create trigger conflict before insert on jwt_auth_sessions_limits for each statement execute function conflict()',
  ],
  MariaDB: [
    "create trigger conflict before insert on jwt_auth_sessions_limits for each row signal sqlstate '40001' set mysql_errno = 1213",
  ],
} as const

describeEach(servers, 'a persisting deadlock of a count on $name', ({ name, createDatabase }) => {
  it('rejects reserve and refund', async () => {
    const database = await createDatabase()
    const knex = database.connect()
    await knexStorage(knex).migrate()
    for (const statement of conflictsOfCounts[name]) await knex.raw(statement)
    const limiter = knexLimits(knex)
    const calls = [
      limiter.reserve([hourly('ada')], { now: Date.now() }),
      limiter.refund([{ key: 'ada', count: 1, endsAt: Date.now() }], { now: Date.now() }),
    ]

    const failure = expect.stringMatching(/could not count \((40P01|ER_LOCK_DEADLOCK)\)$/)
    const expected = { status: 'rejected', reason: expect.objectContaining({ message: failure }) }
    expect(await Promise.allSettled(calls)).toEqual(calls.map(() => expected))
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

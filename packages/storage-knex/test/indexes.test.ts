import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import type { SqlValue } from '@jwt-auth/storage-sql'
import { toPurgeableAt, toValues } from '@jwt-auth/storage-sql/internal/session-row'
import { bindIds, bindLimited, writeStatements } from '@jwt-auth/storage-sql/internal/statements'
import { readTableNames } from '@jwt-auth/storage-sql/internal/table-names'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { knexExecutor } from '../src/knex-executor.js'
import { explain, wholeTable } from './support/explain.js'

const dialects = { SQLite: 'sqlite', PostgreSQL: 'postgresql', MariaDB: 'mysql' } as const
const rows = 2_000

type Statement = readonly [sql: string, values: readonly SqlValue[]]

describeEach(await findDatabases(), 'the statements on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect()
  const executor = knexExecutor(knex, false)
  const sql = writeStatements(readTableNames({}, dialects[name]), dialects[name])
  const { id, issuer, selectorHash, verifierHash, absoluteExpiresAt } = sampleSession(7)
  const limited = (values: readonly number[]) => bindLimited(values, 10, dialects[name])

  beforeAll(async () => {
    const storage = knexStorage(knex)
    await storage.migrate()
    const columns = (sql.insert.match(/\((.*?)\)/)?.[1] ?? '').split(', ')
    const records = Array.from({ length: rows }, (_, number) => {
      const session = sampleSession(number, { userId: number % 100 })
      const values = [...toValues(session), toPurgeableAt(session)]
      return Object.fromEntries(columns.map((column, position) => [column, values[position]]))
    })
    await knex.batchInsert('jwt_auth_sessions', records, 50)
    await knex.raw(name === 'MariaDB' ? 'analyze table jwt_auth_sessions' : 'analyze')
  })
  afterAll(() => database.drop())

  it.each<[string, string, Statement]>([
    ['of ids', 'finding by ids', [sql.selectByIds(2), bindIds([id, 'another'], dialects[name])]],
    ['of selectors', 'finding by selector', [sql.selectBySelector, [selectorHash]]],
    ['of ids', 'reading in pages', [sql.selectPage, [id, 10]]],
    ['of ids', 'rotating', [sql.rotate, ['v', '[]', 1, 1, 1, null, null, 1, id, verifierHash]]],
    ['of ids', 'ending one', [sql.end, [1, 'revoked', 1, id]]],
    ['of ids', 'finding an end', [sql.selectEnding, [id]]],
    ['user', "ending all of a user's", [sql.endAll, [1, 'revoked', 1, issuer, '7']]],
    ['user', "listing a user's", [sql.selectUnended, [issuer, '7', 1, 1, 10]]],
    ['user', "listing a user's ended ones", [sql.selectEnded, [issuer, '7', 10]]],
    [
      'purgeable',
      'ending those created before an instant',
      [
        sql.endCreatedBefore,
        [1, 'revoked', 1, ...bindLimited([absoluteExpiresAt, absoluteExpiresAt, issuer, 2], 10, dialects[name])],
      ],
    ],
    ['purgeable', 'deleting expired ones', [sql.deleteExpired, limited([5])]],
  ])('use the index %s when %s', async (index, _, statement) => {
    const accesses = await explain(executor, statement)
    expect(accesses).toContain(index)
    expect(accesses).not.toContain(wholeTable)
  })

  it.each<[string, Statement]>([
    ['the whole table', ['select id from jwt_auth_sessions where label = ?', ['x']]],
    ['a whole index', ['select purgeable_at from jwt_auth_sessions order by purgeable_at', []]],
  ])('are noticed when they read %s', async (_, statement) => {
    expect(await explain(executor, statement)).toEqual([wholeTable])
  })
})

const postgresql = (await findDatabases()).filter(({ name }) => name === 'PostgreSQL')

describeEach(postgresql, 'a rotation on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect()
  afterAll(() => database.drop())

  it('updates the row in place within a day', async () => {
    const session = sampleSession(1, { absoluteExpiresAt: Number.MAX_SAFE_INTEGER })
    const { verifierHash: expectedVerifierHash, ...rest } = session
    const idleExpiresAt = session.idleExpiresAt + 3_600_000
    const rotation = { ...rest, sessionId: session.id, expectedVerifierHash, verifierHash: 'next', idleExpiresAt }
    await knexStorage(knex).migrate()
    await knexStorage(knex).create(session)
    const { rows } = await knex.transaction(async (transaction): Promise<{ rows: unknown }> => {
      await knexStorage(transaction).rotate(rotation)
      return transaction.raw("select pg_stat_get_xact_tuples_hot_updated('jwt_auth_sessions'::regclass)::int as count")
    })
    expect(rows).toEqual([{ count: 1 }])
  })
})

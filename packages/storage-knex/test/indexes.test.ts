import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { type DatabaseServer, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import type { Knex } from 'knex'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { StatementValue } from '../src/send-statement.js'
import { toValues } from '../src/session-row.js'
import { bindIds, bindLimited, writeStatements } from '../src/statements.js'
import { readTableNames } from '../src/table-names.js'

const dialects = { SQLite: 'sqlite', PostgreSQL: 'postgresql', MariaDB: 'mysql' } as const
const rows = 2_000

/** What the database says it would do, as text. */
const explain = async (knex: Knex, name: DatabaseServer['name'], [sql, values]: Statement): Promise<string> => {
  const verb = name === 'SQLite' ? 'explain query plan' : 'explain'
  return JSON.stringify(await knex.raw(`${verb} ${sql}`, values.map(toBinding)))
}

// knex would take an array for several values.
const toBinding = (value: StatementValue): Knex.Value =>
  typeof value === 'object' && value !== null ? [...value] : value

type Statement = readonly [sql: string, values: readonly StatementValue[]]

// How each of them says that it reads the whole table.
const wholeTable = { SQLite: /SCAN jwt_auth_sessions/, PostgreSQL: /Seq Scan/, MariaDB: /"type":"ALL"/ } as const

describeEach(await findDatabases(), 'the statements on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect()
  const sql = writeStatements(readTableNames({}, dialects[name]), dialects[name])
  const { id, issuer, selectorHash, verifierHash } = sampleSession(7)
  const limited = (values: readonly number[]) => bindLimited(values, 10, dialects[name])

  beforeAll(async () => {
    const storage = knexStorage(knex)
    await storage.migrate()
    const columns = (sql.insert.match(/\((.*?)\)/)?.[1] ?? '').split(', ')
    const records = Array.from({ length: rows }, (_, number) => {
      const session = sampleSession(number, { userId: number % 100 })
      const values = [...toValues(session), session.idleExpiresAt, null]
      return Object.fromEntries(columns.map((column, position) => [column, values[position]]))
    })
    await knex.batchInsert('jwt_auth_sessions', records, 50)
    await knex.raw(name === 'MariaDB' ? 'analyze table jwt_auth_sessions' : 'analyze')
  })
  afterAll(() => database.drop())

  it.each<[string, Statement]>([
    ['finding by ids', [sql.selectByIds(2), bindIds([id, 'another'], dialects[name])]],
    ['finding by selector', [sql.selectBySelector, [selectorHash]]],
    ['rotating', [sql.rotate, ['v', '[]', 1, 1, 1, 1, null, null, 1, id, verifierHash]]],
    ['ending one', [sql.end, [1, 'revoked', 1, id]]],
    ['finding an end', [sql.selectEnding, [id]]],
    ["ending all of a user's", [sql.endAll, [1, 'revoked', 1, issuer, '7']]],
    ["listing a user's", [sql.selectActive, [issuer, '7', 1, 1, 10]]],
    ['clearing recent verifiers', [sql.clearRecent, limited([5])]],
    ['deleting what is over', [sql.deleteExpired, limited([5])]],
  ])('use an index when %s', async (_, statement) => {
    expect(await explain(knex, name, statement)).not.toMatch(wholeTable[name])
  })

  it('would be caught reading the whole table', async () => {
    const statement: Statement = ['select id from jwt_auth_sessions where label = ?', ['x']]
    expect(await explain(knex, name, statement)).toMatch(wholeTable[name])
  })
})

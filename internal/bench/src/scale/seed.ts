import type { Knex } from 'knex'
import { toRow } from '../world/insert-sessions.js'
import { issuer, numberedSession, openedAt, type SessionIds, sessionsOfUser, userAgent } from './numbered-session.js'

/** Numbered sessions that follow one another. */
interface Chunk {
  readonly from: number
  readonly count: number
  readonly ids: SessionIds
}

/** Puts numbered sessions into a migrated table. */
export type Seed = (knex: Knex, chunk: Chunk) => Promise<void>

/** PostgreSQL makes its rows itself. */
export const seedPostgres: Seed = async (knex, { from, count, ids }) => {
  await knex.raw(
    `insert into jwt_auth_sessions (id, issuer, user_id, selector_hash, verifier_hash, recent_verifiers, created_at, rotated_at,
      last_used_at, idle_expires_at, absolute_expires_at, expires_at, user_agent, ip_address, last_user_agent, last_ip_address)
    select ${ids.sql}, '${issuer}', (n / ${sessionsOfUser})::text,
      rtrim(translate(encode(sha256(('selector' || n)::bytea), 'base64'), '+/', '-_'), '='),
      rtrim(translate(encode(sha256(('verifier' || n)::bytea), 'base64'), '+/', '-_'), '='),
      '[]', ${openedAt} + n, ${openedAt}, ${openedAt}, idle, ${openedAt} + 90 * day, idle, '${userAgent}', '203.0.113.7', '${userAgent}', '203.0.113.7'
    from (
      select n, 86400000::bigint as day,
        ${openedAt} + 86400000::bigint * case when n % 10 = 0 then 1 else 60 end as idle
      from generate_series(${from}, ${from + count - 1}) as n
    ) as numbered`,
  )
}

/** What is needed of libsql's connection. */
interface SqliteConnection {
  readonly exec: (sql: string) => void
  readonly prepare: (sql: string) => { readonly run: (values: readonly unknown[]) => void }
}

/** SQLite has no SHA-256 of its own, and knex takes longer to write a statement with many rows than SQLite to insert them. */
export const seedSqlite: Seed = async (knex, { from, count, ids }) => {
  const connection: SqliteConnection = await knex.client.acquireConnection()
  try {
    const columns = Object.keys(toRow(numberedSession(0, ids)))
    const insert = connection.prepare(
      `insert into jwt_auth_sessions (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
    )
    connection.exec('begin')
    for (let number = from; number < from + count; number += 1) {
      insert.run(Object.values(toRow(numberedSession(number, ids))))
    }
    connection.exec('commit')
  } finally {
    await knex.client.releaseConnection(connection)
  }
}

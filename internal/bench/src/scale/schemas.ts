import type { DatabaseServer } from '@jwt-auth/test-support'
import type { Knex } from 'knex'
import { growingIds, randomIds, type SessionIds } from './numbered-session.js'

/** A way to lay out the table of sessions. */
export interface Schema {
  readonly title: string
  readonly ids: SessionIds
  /** Turns our table, migrated and still empty, into this one. */
  readonly alter: (knex: Knex) => Promise<void>
}

const run =
  (...statements: readonly string[]): Schema['alter'] =>
  async (knex) => {
    for (const statement of statements) await knex.raw(statement)
  }

/** The table as `migrate()` makes it, with ids as the service draws them. */
export const ourSchema: Schema = { title: '**jwt-auth**', ids: randomIds, alter: run() }

const withGrowingIds: Schema = { title: 'ids that increase with time', ids: growingIds, alter: run() }

const withoutOverIndex: Schema = {
  title: 'no index for the purge',
  ids: randomIds,
  alter: run('drop index jwt_auth_sessions_expires'),
}

const withHashIndex: Schema = {
  title: 'a hash index for selectors, which cannot be unique',
  ids: randomIds,
  alter: run(
    'alter table jwt_auth_sessions drop constraint jwt_auth_sessions_selector_hash_key',
    'create index jwt_auth_sessions_selector on jwt_auth_sessions using hash (selector_hash)',
  ),
}

const inLocaleOrder: Schema = {
  title: 'ids and hashes with a locale collation (`en-US-x-icu`)',
  ids: randomIds,
  alter: run(
    ...['id', 'selector_hash', 'verifier_hash'].map(
      (column) => `alter table jwt_auth_sessions alter ${column} type varchar(64) collate "en-US-x-icu"`,
    ),
  ),
}

const withSpareRoom: Schema = {
  title: 'a quarter of each page kept free for updates',
  ids: randomIds,
  alter: run('alter table jwt_auth_sessions set (fillfactor = 75)'),
}

const withoutRowid: Schema = {
  title: 'rows stored in the index of ids (`without rowid`)',
  ids: randomIds,
  alter: async (knex) => {
    const made: readonly { readonly sql: string }[] = await knex('sqlite_master')
      .where({ tbl_name: 'jwt_auth_sessions' })
      .whereNotNull('sql')
      .orderBy('type', 'desc')
    await knex.raw('drop table jwt_auth_sessions')
    for (const { sql } of made) await knex.raw(sql.startsWith('CREATE TABLE') ? `${sql} without rowid` : sql)
  },
}

/** What else a table of sessions could be, and ours first. */
export const schemasOf = (name: DatabaseServer['name']): readonly Schema[] =>
  name === 'SQLite'
    ? [ourSchema, withGrowingIds, withoutOverIndex, withoutRowid]
    : [ourSchema, withGrowingIds, withoutOverIndex, withHashIndex, withSpareRoom, inLocaleOrder]

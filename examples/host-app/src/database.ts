import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { libsqlConfig } from '@jwt-auth/storage-knex/libsql'
import knex, { type Knex } from 'knex'

/** The longest time for connecting to a server, in milliseconds. */
export const connectTimeoutMs = 5_000
// The caller receives the failure of a connection. knex would print it in addition.
const log = { warn: () => {} }
const inMemory = ':memory:'

/** Opens the database of the users. For `memory:`, that is a SQLite database without a file. */
export const openDatabase = (url: string): Knex => {
  if (url === 'memory:') return knex({ ...libsqlConfig(inMemory), log })
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length))
  return knex({
    client: url.startsWith('mysql:') ? 'mysql2' : 'pg',
    connection: url,
    pool: { min: 0, max: 10, createTimeoutMillis: connectTimeoutMs },
    acquireConnectionTimeout: connectTimeoutMs,
    log,
    // knex would write bound values into its error messages.
    compileSqlOnError: false,
  })
}

const openSqlite = (file: string): Knex => {
  if (file !== inMemory) mkdirSync(dirname(file), { recursive: true })
  return knex({ ...libsqlConfig(file), log })
}

/** Returns a database URL for messages: without the password and the query. */
export const withoutPassword = (url: string): string => {
  if (!URL.canParse(url) || !url.includes('://')) return url
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}

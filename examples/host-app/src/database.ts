import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { libsqlConfig } from '@jwt-auth/storage-knex/libsql'
import knex, { type Knex } from 'knex'

/** How long a server may take to accept a connection. */
export const connectTimeoutMs = 5_000
// Whoever waits for a connection hears of its failure; knex would print it once more.
const log = { warn: () => {} }
const inMemory = ':memory:'

/** Opens the database with the users; with `memory:` that is a SQLite database without a file. */
export const openDatabase = (url: string): Knex => {
  if (url === 'memory:') return knex({ ...libsqlConfig(inMemory), log })
  if (url.startsWith('sqlite:')) return openSqlite(url.slice('sqlite:'.length))
  return knex({
    client: url.startsWith('mysql:') ? 'mysql2' : 'pg',
    connection: url,
    pool: { min: 0, max: 10, createTimeoutMillis: connectTimeoutMs },
    acquireConnectionTimeout: connectTimeoutMs,
    log,
    // knex would print bound values into its error messages.
    compileSqlOnError: false,
  })
}

const openSqlite = (file: string): Knex => {
  if (file !== inMemory) mkdirSync(dirname(file), { recursive: true })
  return knex({ ...libsqlConfig(file), log })
}

/** A database URL without what may be a password, for messages. */
export const withoutPassword = (url: string): string => {
  if (!URL.canParse(url) || !url.includes('://')) return url
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}

import type { SessionStorage } from '@jwt-auth/core'
import { knexStorage } from '@jwt-auth/storage-knex'
import type { DatabaseServer } from '@jwt-auth/test-support'
import type { Knex } from 'knex'
import type { Effort, Setting } from '../comparison.js'
import type { Schema } from './schemas.js'
import { type Seed, seedPostgres, seedSqlite } from './seed.js'

/** A store with a number of sessions. */
export interface SizedStore {
  readonly name: string
  readonly size: number
  readonly schema: Schema
  readonly storage: SessionStorage
  /** Bytes of its tables and of its indexes; SQLite tells only the sum. */
  readonly bytes: { readonly table: number; readonly indexes: number | undefined }
  readonly seedSeconds: number
  readonly drop: () => Promise<void>
}

const rowsInChunk = 50_000

/** Makes a fresh database, lays out its table and fills it. */
export const createSizedStore = async (
  server: DatabaseServer,
  { size, schema }: { readonly size: number; readonly schema: Schema },
  { tell, effort: { signal } }: Pick<Setting, 'tell' | 'effort'>,
): Promise<SizedStore> => {
  const { connect, drop } = await server.createDatabase()
  try {
    const knex = connect({ min: 1, max: 1 })
    const storage = knexStorage(knex)
    await storage.migrate()
    await schema.alter(knex)
    const begin = performance.now()
    // On a connection of its own, so that what is measured has the settings that a host's connections have.
    const filling = connect({ min: 1, max: 1 })
    await fill(server, filling, { size, schema, tell, signal })
    await filling.destroy()
    const seedSeconds = (performance.now() - begin) / 1000
    const bytes = await readBytes(server, knex)
    return { name: server.name, size, schema, storage, bytes, seedSeconds, drop }
  } catch (failure) {
    await drop()
    throw failure
  }
}

const fill = async (
  { name }: DatabaseServer,
  knex: Knex,
  {
    size,
    schema: { ids },
    tell,
    signal,
  }: Pick<SizedStore, 'size' | 'schema'> & Pick<Setting, 'tell'> & Pick<Effort, 'signal'>,
): Promise<void> => {
  const isSqlite = name === 'SQLite'
  const seed: Seed = isSqlite ? seedSqlite : seedPostgres
  // What is lost with the machine is made again: only what is measured afterwards has to wait for the disk.
  await knex.raw(isSqlite ? 'pragma synchronous = off' : 'set synchronous_commit = off')
  if (isSqlite) await knex.raw('pragma cache_size = -1000000')
  for (let from = 0; from < size; from += rowsInChunk) {
    signal.throwIfAborted()
    await seed(knex, { from, count: Math.min(rowsInChunk, size - from), ids })
    if (from % (10 * rowsInChunk) === 0)
      tell(`${name} ${size.toLocaleString('en')}: seeding, ${Math.round((100 * from) / size)} %`)
  }
  await knex.raw(isSqlite ? 'pragma wal_checkpoint(truncate)' : 'vacuum analyze jwt_auth_sessions')
}

const readBytes = async ({ name }: DatabaseServer, knex: Knex): Promise<SizedStore['bytes']> => {
  if (name === 'SQLite') {
    const [{ page_count: pages }] = await knex.raw('pragma page_count')
    const [{ page_size: bytes }] = await knex.raw('pragma page_size')
    return { table: pages * bytes, indexes: undefined }
  }
  const { rows } = await knex.raw(
    `select pg_table_size('jwt_auth_sessions')::float8 as table, pg_indexes_size('jwt_auth_sessions')::float8 as indexes`,
  )
  return rows[0]
}

import type { Knex } from 'knex'

const full = 2

/**
 * Gives a SQLite file its write-ahead log, and warns where the host's connections do not wait for the disk: then a power cut
 * can undo a revocation that was acknowledged. (The setting belongs to each connection, and connections are the host's.)
 */
export const setUpSqlite = async (knex: Knex): Promise<void> => {
  await knex.raw('pragma journal_mode = wal')
  const [row] = await knex.raw('pragma synchronous')
  if (Number(row?.synchronous) >= full) return
  process.emitWarning(
    'SQLite runs with less than `pragma synchronous = full`: a power cut can undo the last revocations.',
    { type: 'JwtAuthWarning', code: 'JWT_AUTH_SQLITE_SYNCHRONOUS' },
  )
}

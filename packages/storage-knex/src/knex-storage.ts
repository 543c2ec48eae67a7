import type { EndOutcome, SessionStorage } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { dialectOf, type Row } from './dialect.js'
import { migrate } from './migrate.js'
import { readInstant, readSession, readText, toRecentText, toUserKey, toValues } from './session-row.js'
import { writeStatements } from './statements.js'
import { toStorageError } from './storage-error.js'

/** Session storage in a database, and its schema. */
export interface KnexStorage extends SessionStorage {
  /** Creates or updates the tables. Safe to call at each start, by several processes at once. */
  readonly migrate: () => Promise<void>
}

/**
 * Sessions in SQLite, PostgreSQL, MySQL or MariaDB, through a knex instance that the host made and closes. Failures
 * reject with the database's code and no bound value.
 *
 * @example
 * const storage = knexStorage(knex({ client: 'pg', connection: process.env.DATABASE_URL }))
 * await storage.migrate()
 */
export const knexStorage = (knex: Knex): KnexStorage => {
  if (typeof knex?.raw !== 'function') throw new TypeError('jwt-auth: knexStorage must be given a knex instance.')
  const dialect = dialectOf(knex)
  const sql = writeStatements(dialect)

  const select = async (operation: string, text: string, values: readonly Knex.Value[]): Promise<readonly Row[]> => {
    try {
      return dialect.readRows(await knex.raw(text, [...values]))
    } catch (error) {
      throw toStorageError(operation, error)
    }
  }

  const write = async (operation: string, text: string, values: readonly (Knex.Value | null)[]): Promise<number> => {
    try {
      return dialect.readAffected(await knex.raw(text, [...values]))
    } catch (error) {
      throw toStorageError(operation, error)
    }
  }

  const findEnding = async (sessionId: string): Promise<EndOutcome> => {
    const [row] = await select('find the end of a session', sql.selectEnding, [sessionId])
    if (row === undefined) return { outcome: 'not-found' }
    return { outcome: 'already-ended', endedAt: readInstant(row, 'ended_at'), endReason: readText(row, 'end_reason') }
  }

  return {
    migrate: () => migrate(knex),

    create: async (session) => {
      await write('create a session', sql.insert, toValues(session))
    },

    findByIds: async (ids) => {
      if (ids.length === 0) return []
      const rows = await select('find sessions', sql.selectByIds(ids.length), ids)
      return rows.map(readSession)
    },

    findBySelectorHash: async (selectorHash) => {
      const [row] = await select('find a session', sql.selectBySelector, [selectorHash])
      return row && readSession(row)
    },

    rotate: async (rotation) => {
      const { credentialVersion } = rotation
      const swapped = await write(
        'rotate a session',
        credentialVersion === undefined ? sql.rotate : sql.rotateWithVersion,
        [
          rotation.verifierHash,
          toRecentText(rotation.recentVerifiers),
          rotation.rotatedAt,
          rotation.lastUsedAt,
          rotation.idleExpiresAt,
          ...(credentialVersion === undefined ? [] : [credentialVersion]),
          rotation.sessionId,
          rotation.expectedVerifierHash,
        ],
      )
      return swapped === 1 ? 'rotated' : 'stale'
    },

    // An end is for good, so that what the second statement finds is what the first one met.
    end: async (sessionId, { endedAt, endReason }) => {
      const ended = await write('end a session', sql.end, [endedAt, endReason, sessionId])
      return ended === 1 ? { outcome: 'ended' } : findEnding(sessionId)
    },

    endAllOfUser: (userId, { endedAt, endReason }, { exceptSessionId } = {}) => {
      const values = [endedAt, endReason, toUserKey(userId)]
      return exceptSessionId === undefined
        ? write("end a user's sessions", sql.endAll, values)
        : write("end a user's sessions", sql.endAllButOne, [...values, exceptSessionId])
    },

    listLive: async (userId, now) => {
      const rows = await select("list a user's sessions", sql.selectLive, [toUserKey(userId), now, now])
      return rows.map(readSession)
    },

    deleteOver: (overBefore, limit) => {
      const over = [overBefore, overBefore, overBefore]
      const again = dialect.name === 'mysql' ? [] : over
      return write('delete sessions', sql.deleteOver, [...over, limit, ...again])
    },
  }
}

import type { SessionStorage } from '@jwt-auth/core'
import type { DialectName } from './dialect.js'
import type { QueryRunner } from './query-runner.js'
import { readSession, toUserKey } from './session-row.js'
import { bindIds, type Statements } from './statements.js'

type Reads = Pick<SessionStorage, 'findByIds' | 'findBySelectorHash' | 'listActive'>

/** The methods that find sessions. */
export const createReads = (sql: Statements, { readRows }: QueryRunner, dialect: DialectName): Reads => ({
  findByIds: async (ids, options) => {
    if (ids.length === 0) return []
    const query = { purpose: 'find sessions', sql: sql.selectByIds(ids.length), values: bindIds(ids, dialect) }
    const rows = await readRows(query, options)
    return rows.map(readSession)
  },

  findBySelectorHash: async (selectorHash, options) => {
    const query = { purpose: 'find a session', sql: sql.selectBySelector, values: [selectorHash] }
    const [row] = await readRows(query, options)
    return row && readSession(row)
  },

  listActive: async ({ issuer, userId }, { now, limit }, options) => {
    const values = [issuer, toUserKey(userId), now, now, limit]
    const query = { purpose: "list a user's sessions", sql: sql.selectActive, values }
    const rows = await readRows(query, options)
    return rows.map(readSession)
  },
})

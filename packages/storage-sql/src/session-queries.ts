import type { SessionStorage } from '@jwt-auth/core'
import type { QueryRunner } from './query-runner.js'
import {
  parseInstant,
  parseSession,
  parseText,
  toEndOfDay,
  toPurgeableAt,
  toRecentText,
  toUserIdText,
  toValues,
} from './session-row.js'
import type { DialectName } from './sql-executor.js'
import { bindIds, bindLimited, type Statements } from './statements.js'

/**
 * Creates the methods of a storage. Each change is one statement. The number of changed rows is its
 * outcome.
 */
export const createSessionMethods = (sql: Statements, runner: QueryRunner, dialect: DialectName): SessionStorage => ({
  findByIds: async (ids, options) => {
    if (ids.length === 0) return []
    const query = { purpose: 'find sessions', sql: sql.selectByIds(ids.length), values: bindIds(ids, dialect) }
    const rows = await runner.findRows(query, options)
    return rows.map(parseSession)
  },

  findBySelectorHash: async (selectorHash, options) => {
    const query = { purpose: 'find a session', sql: sql.selectBySelector, values: [selectorHash] }
    const [row] = await runner.findRows(query, options)
    return row && parseSession(row)
  },

  list: async ({ issuer, userId, activeAt, limit }, options) => {
    const purpose = "list a user's sessions"
    const user = [issuer, toUserIdText(userId)]
    // At the earliest instant, no session has expired.
    const instant = activeAt ?? Number.MIN_SAFE_INTEGER
    const open = { purpose, sql: sql.selectUnended, values: [...user, instant, instant, limit] }
    const openRows = await runner.findRows(open, options)
    if (activeAt !== undefined || openRows.length === limit) return openRows.map(parseSession)
    const ended = { purpose, sql: sql.selectEnded, values: [...user, limit - openRows.length] }
    const endedRows = await runner.findRows(ended, options)
    // A session that ended between the two statements is in both results.
    const endedIds = new Set(endedRows.map(({ id }) => id))
    return [...openRows.filter(({ id }) => !endedIds.has(id)), ...endedRows].map(parseSession)
  },

  findPage: async ({ after = '', limit }, options) => {
    const query = { purpose: 'find sessions', sql: sql.selectPage, values: [after, limit] }
    const rows = await runner.findRows(query, options)
    const sessions = rows.map(parseSession)
    return { sessions, next: rows.length < limit ? undefined : sessions.at(-1)?.id }
  },

  create: async (session, options) => {
    const values = [...toValues(session), toPurgeableAt(session)]
    await runner.changeRows({ purpose: 'create a session', sql: sql.insert, values }, options)
  },

  rotate: async (rotation, options) => {
    const values = [
      rotation.verifierHash,
      toRecentText(rotation.recentVerifiers),
      rotation.rotatedAt,
      rotation.lastUsedAt,
      rotation.idleExpiresAt,
      rotation.lastUserAgent,
      rotation.lastIpAddress,
      toEndOfDay(rotation.idleExpiresAt),
      rotation.id,
      rotation.expectedVerifierHash,
    ]
    const query = { purpose: 'rotate a session', sql: sql.rotate, values }
    return (await runner.changeRows(query, options)) === 1 ? 'rotated' : 'stale'
  },

  // Nothing undoes an end, so the second statement reads the end that prevented the first.
  end: async ({ id, endedAt, endReason }, options) => {
    const values = [endedAt, endReason, endedAt, id]
    const ended = await runner.changeRows({ purpose: 'end a session', sql: sql.end, values }, options)
    if (ended === 1) return { outcome: 'ended' }
    const query = { purpose: 'find the end of a session', sql: sql.selectEnding, values: [id] }
    const [row] = await runner.findRows(query, options)
    if (row === undefined) return { outcome: 'not-found' }
    return { outcome: 'already-ended', endedAt: parseInstant(row, 'ended_at'), endReason: parseText(row, 'end_reason') }
  },

  endAllForUser: ({ issuer, userId, endedAt, endReason }, options) => {
    const values = [endedAt, endReason, endedAt, issuer, toUserIdText(userId)]
    return runner.changeRows({ purpose: "end a user's sessions", sql: sql.endAll, values }, options)
  },

  endCreatedBefore: ({ issuer, createdBefore, limit, endedAt, endReason }, options) => {
    const chosen = bindLimited([endedAt, endedAt, issuer, createdBefore], limit, dialect)
    const values = [endedAt, endReason, endedAt, ...chosen]
    return runner.changeRows({ purpose: 'end sessions', sql: sql.endCreatedBefore, values }, options)
  },

  deleteExpired: ({ before, limit }, options) => {
    const values = bindLimited([before], limit, dialect)
    return runner.changeRows({ purpose: 'delete sessions', sql: sql.deleteExpired, values }, options)
  },
})

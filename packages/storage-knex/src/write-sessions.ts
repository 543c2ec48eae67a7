import type { CallOptions, EndOutcome, SessionStorage } from '@jwt-auth/core'
import type { DialectName } from './dialect.js'
import type { QueryRunner } from './query-runner.js'
import { clearableAt, expiresAt, readInstant, readText, toRecentText, toUserKey, toValues } from './session-row.js'
import { bindLimited, type Statements } from './statements.js'

type Writes = Pick<
  SessionStorage,
  'create' | 'rotate' | 'end' | 'endAllForUser' | 'endCreatedBefore' | 'clearRecentVerifiers' | 'deleteExpired'
>

/** The methods that change sessions: each is one statement, and the rows it touched say what happened. */
export const createWrites = (sql: Statements, runner: QueryRunner, dialect: DialectName): Writes => ({
  create: async (session, options) => {
    const values = [...toValues(session), expiresAt(session), clearableAt(session)]
    await runner.countAffected({ purpose: 'create a session', sql: sql.insert, values }, options)
  },

  rotate: async (rotation, options) => {
    const values = [
      rotation.verifierHash,
      toRecentText(rotation.recentVerifiers),
      clearableAt(rotation),
      rotation.rotatedAt,
      rotation.lastUsedAt,
      rotation.idleExpiresAt,
      rotation.lastUserAgent,
      rotation.lastIpAddress,
      rotation.idleExpiresAt,
      rotation.sessionId,
      rotation.expectedVerifierHash,
    ]
    const query = { purpose: 'rotate a session', sql: sql.rotate, values }
    return (await runner.countAffected(query, options)) === 1 ? 'rotated' : 'stale'
  },

  // An end is for good, so that what the second statement finds is what the first one met.
  end: async (sessionId, { endedAt, endReason }, options) => {
    const values = [endedAt, endReason, endedAt, sessionId]
    const ended = await runner.countAffected({ purpose: 'end a session', sql: sql.end, values }, options)
    return ended === 1 ? { outcome: 'ended' } : findEnding(sql, runner, { sessionId, options })
  },

  endAllForUser: ({ issuer, userId }, { endedAt, endReason }, options) => {
    const values = [endedAt, endReason, endedAt, issuer, toUserKey(userId)]
    return runner.countAffected({ purpose: "end a user's sessions", sql: sql.endAll, values }, options)
  },

  endCreatedBefore: ({ issuer, createdBefore, limit }, { endedAt, endReason }, options) => {
    const chosen = bindLimited([endedAt, issuer, createdBefore], limit, dialect)
    const values = [endedAt, endReason, endedAt, ...chosen]
    return runner.countAffected({ purpose: 'end sessions', sql: sql.endCreatedBefore, values }, options)
  },

  clearRecentVerifiers: (rotatedBefore, limit, options) => {
    const values = bindLimited([rotatedBefore], limit, dialect)
    return runner.countAffected({ purpose: 'clear recent verifiers', sql: sql.clearRecent, values }, options)
  },

  deleteExpired: (expiredBefore, limit, options) => {
    const values = bindLimited([expiredBefore], limit, dialect)
    return runner.countAffected({ purpose: 'delete sessions', sql: sql.deleteExpired, values }, options)
  },
})

const findEnding = async (
  sql: Statements,
  runner: QueryRunner,
  { sessionId, options }: { readonly sessionId: string; readonly options: CallOptions | undefined },
): Promise<EndOutcome> => {
  const query = { purpose: 'find the end of a session', sql: sql.selectEnding, values: [sessionId] }
  const [row] = await runner.readRows(query, options)
  if (row === undefined) return { outcome: 'not-found' }
  return { outcome: 'already-ended', endedAt: readInstant(row, 'ended_at'), endReason: readText(row, 'end_reason') }
}

import type { SessionRecord } from '@jwt-auth/core'
import type { Knex } from 'knex'

// SQLite binds 32,766 values at most, and a row has 21.
const rowsInStatement = 500

/** Inserts sessions into a migrated database, many per statement. */
export const insertSessions = async (knex: Knex, sessions: readonly SessionRecord[]): Promise<void> => {
  await knex.batchInsert('jwt_auth_sessions', sessions.map(toRow), rowsInStatement)
}

const toRow = ({ userId, recentVerifiers, ...session }: SessionRecord): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(Object.entries(session).map(([name, value]) => [toColumn(name), value])),
  user_id: JSON.stringify(userId),
  recent_verifiers: JSON.stringify(recentVerifiers),
  clearable_at: recentVerifiers.length > 0 ? session.rotatedAt : null,
  expires_at: session.endedAt ?? Math.min(session.idleExpiresAt, session.absoluteExpiresAt),
})

const toColumn = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import { findRecords } from '@jwt-auth/test-support/find-records'
import { changeReads } from '../support/change-reads.js'

/** Selects expired sessions, and deletes them later without checking again. */
export const selectThenDelete = (storage: SessionStorage): SessionStorage => {
  const known = new Set<string>()
  const deleted = new Set<string>()
  return {
    ...changeReads(storage, (session) => (deleted.has(session.id) ? undefined : session)),
    create: async (session, options) => {
      await storage.create(session, options)
      known.add(session.id)
    },
    deleteExpired: async (expiredBefore, limit, options) => {
      const found = await findRecords(storage, [...known], options)
      const expired = found.filter((session) => session.idleExpiresAt <= expiredBefore).slice(0, limit)
      await setImmediate()
      for (const { id } of expired) deleted.add(id)
      return expired.length
    },
  }
}

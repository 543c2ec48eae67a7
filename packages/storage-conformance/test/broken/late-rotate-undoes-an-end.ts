import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import { findRecord } from '@jwt-auth/test-support/find-records'
import { changeReads } from '../support/change-reads.js'

/** Writes back the whole record that it read earlier, including its old `endedAt`. */
export const lateRotateUndoesAnEnd = (storage: SessionStorage): SessionStorage => {
  const revived = new Set<string>()
  return {
    ...changeReads(storage, (session) =>
      revived.has(session.id) ? { ...session, endedAt: null, endReason: null } : session,
    ),
    rotate: async (rotation, options) => {
      const before = await findRecord(storage, rotation.sessionId, options)
      await setImmediate()
      const after = await findRecord(storage, rotation.sessionId, options)
      if (before?.endedAt !== null || after?.endedAt === null) return storage.rotate(rotation, options)
      revived.add(rotation.sessionId)
      return 'rotated'
    },
  }
}

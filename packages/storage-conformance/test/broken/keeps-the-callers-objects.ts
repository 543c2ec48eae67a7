import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { changeReads } from '../support/change-reads.js'

/** Stores the object that `create` received, not a copy. */
export const keepsTheCallersObjects = (storage: SessionStorage): SessionStorage => {
  const given = new Map<string, SessionRecord>()
  return {
    ...changeReads(storage, (session) => ({ ...session, label: given.get(session.id)?.label ?? null })),
    create: async (session, options) => {
      await storage.create(session, options)
      given.set(session.id, session)
    },
  }
}

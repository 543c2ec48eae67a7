import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { changeReads } from '../support/change-reads.js'

/** Overwrites the session that has the same id. */
export const createOverwrites = (storage: SessionStorage): SessionStorage => {
  const latest = new Map<string, SessionRecord>()
  return {
    ...changeReads(storage, (session) => latest.get(session.id) ?? session),
    create: async (session, options) => {
      const [known] = await storage.findByIds([session.id], options)
      if (known === undefined) return storage.create(session, options)
      latest.set(session.id, structuredClone(session))
    },
  }
}

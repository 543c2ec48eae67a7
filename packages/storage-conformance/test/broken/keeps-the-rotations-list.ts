import type { Rotation, SessionStorage } from '@jwt-auth/core'
import { changeReads } from '../support/change-reads.js'

/** Stores the list of recent verifiers that `rotate` received, not a copy. */
export const keepsTheRotationsList = (storage: SessionStorage): SessionStorage => {
  const given = new Map<string, Rotation['recentVerifiers']>()
  return {
    ...changeReads(storage, (session) => ({
      ...session,
      recentVerifiers: given.get(session.id) ?? session.recentVerifiers,
    })),
    rotate: async (rotation, options) => {
      const outcome = await storage.rotate(rotation, options)
      if (outcome === 'rotated') given.set(rotation.sessionId, rotation.recentVerifiers)
      return outcome
    },
  }
}

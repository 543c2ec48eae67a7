import type { SessionStorage } from '@jwt-auth/core'

/** Compares ids without their case when it ends a session, unless there is one with the very id. */
export const endsIdsOfAnotherCase = (storage: SessionStorage): SessionStorage => {
  const known = new Map<string, string>()
  return {
    ...storage,
    create: async (session, options) => {
      await storage.create(session, options)
      known.set(session.id.toLowerCase(), session.id)
    },
    end: async (sessionId, ending, options) => {
      const outcome = await storage.end(sessionId, ending, options)
      const alike = known.get(sessionId.toLowerCase())
      return outcome.outcome === 'not-found' && alike !== undefined ? storage.end(alike, ending, options) : outcome
    },
  }
}

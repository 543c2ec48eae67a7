import type { SessionStorage } from '@jwt-auth/core'

/** Ends a session whose id differs in case, when no session has the exact id. */
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

import type { SessionStorage } from '@jwt-auth/core'

/** Ends the sessions of every issuer that were created before the instant. */
export const endsAllIssuersBefore = (storage: SessionStorage): SessionStorage => {
  const issuers = new Set<string>()
  return {
    ...storage,
    create: (session, options) => {
      issuers.add(session.issuer)
      return storage.create(session, options)
    },
    endCreatedBefore: async (created, ending, options) => {
      let ended = 0
      for (const issuer of issuers) ended += await storage.endCreatedBefore({ ...created, issuer }, ending, options)
      return ended
    },
  }
}

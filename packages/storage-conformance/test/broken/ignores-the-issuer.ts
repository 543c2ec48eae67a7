import type { SessionStorage } from '@jwt-auth/core'
import { sampleUser } from '@jwt-auth/storage-conformance'

/** Lists and ends the sessions of all issuers. */
export const ignoresTheIssuer = (storage: SessionStorage): SessionStorage => {
  const issuers = new Set([sampleUser(1).issuer])
  return {
    ...storage,
    create: (session, options) => {
      issuers.add(session.issuer)
      return storage.create(session, options)
    },
    endAllForUser: async ({ userId }, ending, options) => {
      let ended = 0
      for (const issuer of issuers) ended += await storage.endAllForUser({ issuer, userId }, ending, options)
      return ended
    },
    list: async ({ userId }, list, options) => {
      const lists = await Promise.all([...issuers].map((issuer) => storage.list({ issuer, userId }, list, options)))
      return lists.flat()
    },
  }
}

import type { ActiveList, CreatedBefore, SessionEnd, SessionRecord, SessionStorage } from './session-storage.js'
import type { UserId } from './user-directory.js'

/**
 * The sessions of one service in a storage that other services may share: those of its issuer and of its former issuers. For the
 * service, a session of any other issuer does not exist (docs/decisions/0001).
 */
export interface OwnSessions extends Omit<SessionStorage, 'endAllForUser' | 'listActive' | 'endCreatedBefore'> {
  endAllForUser(userId: UserId, ending: SessionEnd): Promise<number>
  listActive(userId: UserId, list: ActiveList): Promise<readonly SessionRecord[]>
  /** Ends at most `limit` sessions. Resolves to how many it ended; fewer than `limit` means that none is left. */
  endCreatedBefore(created: Omit<CreatedBefore, 'issuer'>, ending: SessionEnd): Promise<number>
}

/** Makes the view of one service on a storage. */
export const createOwnSessions = (storage: SessionStorage, issuers: readonly string[]): OwnSessions => {
  const isOwn = ({ issuer }: SessionRecord): boolean => issuers.includes(issuer)

  return {
    ...storage,

    findByIds: async (ids) => (await storage.findByIds(ids)).filter(isOwn),

    findBySelectorHash: async (selectorHash) => {
      const session = await storage.findBySelectorHash(selectorHash)
      return session && isOwn(session) ? session : undefined
    },

    endAllForUser: async (userId, ending) => {
      let ended = 0
      for (const issuer of issuers) ended += await storage.endAllForUser({ issuer, userId }, ending)
      return ended
    },

    listActive: async (userId, list) => {
      const lists = await Promise.all(issuers.map((issuer) => storage.listActive({ issuer, userId }, list)))
      return lists
        .flat()
        .toSorted((a, b) => b.createdAt - a.createdAt)
        .slice(0, list.limit)
    },

    endCreatedBefore: async ({ createdBefore, limit }, ending) => {
      let ended = 0
      for (const issuer of issuers) {
        if (ended === limit) break
        ended += await storage.endCreatedBefore({ issuer, createdBefore, limit: limit - ended }, ending)
      }
      return ended
    },
  }
}

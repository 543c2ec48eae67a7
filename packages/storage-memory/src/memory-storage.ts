import type { EndOutcome, SessionRecord, SessionStorage, UserKey } from '@jwt-auth/core'

/** How memory storage is made. */
export interface MemoryStorageOptions {
  /** Says nothing at start about sessions that end with the process. @default false */
  readonly quiet?: boolean | undefined
}

/**
 * Sessions in the memory of this one process: for tests and first steps. They end with the process, other processes know
 * nothing of them, and they stay in memory until `sessions.purge()`. Says so once at start.
 *
 * Each method does its work in one turn of the event loop, which makes it atomic.
 */
export const memoryStorage = (options: MemoryStorageOptions = {}): SessionStorage => {
  if (options.quiet !== true) warnOnce()
  const sessions = new Map<string, SessionRecord>()
  const idsBySelector = new Map<string, string>()

  const idsByUser = new Map<string, Set<string>>()

  const findUnended = (user: UserKey): SessionRecord[] =>
    [...(idsByUser.get(toText(user)) ?? [])]
      .flatMap((id) => sessions.get(id) ?? [])
      .filter(({ endedAt }) => endedAt === null)

  return {
    isInProcess: true,

    create: async (session, options) => {
      options?.signal?.throwIfAborted()
      if (sessions.has(session.id) || idsBySelector.has(session.selectorHash)) {
        throw new Error('memory storage: a session with this id or selector hash exists.')
      }
      sessions.set(session.id, copy(session))
      idsBySelector.set(session.selectorHash, session.id)
      const user = toText(session)
      idsByUser.set(user, (idsByUser.get(user) ?? new Set()).add(session.id))
    },

    // Without a promise, since every guarded request waits for it.
    findByIds: (ids, options) => {
      options?.signal?.throwIfAborted()
      return ids.flatMap((id) => sessions.get(id) ?? []).map(copy)
    },

    findBySelectorHash: async (selectorHash, options) => {
      options?.signal?.throwIfAborted()
      const session = sessions.get(idsBySelector.get(selectorHash) ?? '')
      return session && copy(session)
    },

    rotate: async ({ sessionId, expectedVerifierHash, ...next }, options) => {
      options?.signal?.throwIfAborted()
      const session = sessions.get(sessionId)
      if (session?.verifierHash !== expectedVerifierHash || session.endedAt !== null) return 'stale'
      sessions.set(sessionId, copy({ ...session, ...next }))
      return 'rotated'
    },

    end: async (sessionId, ending, options) => {
      options?.signal?.throwIfAborted()
      const session = sessions.get(sessionId)
      if (session === undefined) return { outcome: 'not-found' }
      if (session.endedAt !== null) return alreadyEnded(session)
      sessions.set(sessionId, { ...session, ...ending })
      return { outcome: 'ended' }
    },

    endAllForUser: async (user, ending, options) => {
      options?.signal?.throwIfAborted()
      const ended = findUnended(user)
      for (const session of ended) sessions.set(session.id, { ...session, ...ending })
      return ended.length
    },

    listActive: async (user, { now, limit }, options) => {
      options?.signal?.throwIfAborted()
      return findUnended(user)
        .filter((session) => isActive(session, now))
        .sort((a, b) => b.createdAt - a.createdAt)
        .slice(0, limit)
        .map(copy)
    },

    endCreatedBefore: async ({ issuer, createdBefore, limit }, ending, options) => {
      options?.signal?.throwIfAborted()
      const ended = [...sessions.values()]
        .filter((session) => session.issuer === issuer && session.createdAt < createdBefore)
        .filter((session) => isActive(session, ending.endedAt))
        .slice(0, limit)
      for (const session of ended) sessions.set(session.id, { ...session, ...ending })
      return ended.length
    },

    clearRecentVerifiers: async (rotatedBefore, limit, options) => {
      options?.signal?.throwIfAborted()
      const cleared = [...sessions.values()]
        .filter(({ recentVerifiers, rotatedAt }) => recentVerifiers.length > 0 && rotatedAt <= rotatedBefore)
        .slice(0, limit)
      for (const session of cleared) sessions.set(session.id, { ...session, recentVerifiers: [] })
      return cleared.length
    },

    deleteExpired: async (expiredBefore, limit, options) => {
      options?.signal?.throwIfAborted()
      const over = [...sessions.values()].filter((session) => overSince(session) <= expiredBefore).slice(0, limit)
      for (const session of over) {
        sessions.delete(session.id)
        idsBySelector.delete(session.selectorHash)
        const ids = idsByUser.get(toText(session))
        ids?.delete(session.id)
        if (ids?.size === 0) idsByUser.delete(toText(session))
      }
      return over.length
    },
  }
}

// JSON keeps the user ids `1` and `'1'` apart.
const toText = ({ issuer, userId }: UserKey): string => JSON.stringify([issuer, userId])

// `structuredClone` takes forty times as long.
const copy = (session: SessionRecord): SessionRecord => ({
  ...session,
  recentVerifiers: session.recentVerifiers.map((recent) => ({ ...recent })),
})

const isActive = (session: SessionRecord, now: number): boolean => session.endedAt === null && now < overSince(session)

const overSince = ({ endedAt, idleExpiresAt, absoluteExpiresAt }: SessionRecord): number =>
  Math.min(endedAt ?? Number.POSITIVE_INFINITY, idleExpiresAt, absoluteExpiresAt)

const alreadyEnded = ({ endedAt, endReason }: SessionRecord): EndOutcome => ({
  outcome: 'already-ended',
  endedAt: endedAt ?? 0,
  endReason: endReason ?? '',
})

let hasWarned = false

const warnOnce = (): void => {
  if (hasWarned) return
  hasWarned = true
  process.emitWarning('Sessions are kept in this process and end with it; use another storage in production.', {
    type: 'JwtAuthWarning',
    code: 'JWT_AUTH_MEMORY_STORAGE',
  })
}

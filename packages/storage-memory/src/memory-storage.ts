import type { SessionStorage } from '@jwt-auth/core'
import type { SessionEnd, SessionRecord, UserRef } from '@jwt-auth/core/adapter'
import {
  byEndAndCreation,
  createAdapterError,
  isActive,
  readBoolean,
  readOptions,
  toEndOrExpiry,
  warnOnce,
} from '@jwt-auth/core/internal'

/** The options of `memoryStorage`. */
export interface MemoryStorageOptions {
  /** Whether to omit the warning that sessions end with the process. @default false */
  readonly quiet?: boolean | undefined
}

/**
 * Creates session storage in the memory of this process, for tests and first steps. Sessions end
 * with the process, and other processes do not see them. The first call emits a process warning
 * with the code `JWT_AUTH_MEMORY_STORAGE`.
 *
 * Each method is atomic, because it works in one turn of the event loop. `create` rejects with an
 * `Error` with the code `TAKEN` when another session has the id or the selector hash.
 *
 * @throws TypeError for a wrong or unknown option
 *
 * @example
 * ```ts
 * const auth = jwtAuth({ secret, issuer, users, storage: memoryStorage() })
 * ```
 */
export const memoryStorage = (options: MemoryStorageOptions = {}): SessionStorage => {
  const { quiet } = readOptions('memoryStorage', options, { quiet: readBoolean }, { prefix: 'memoryStorage.' })
  if (!quiet) {
    warnOnce(
      'JWT_AUTH_MEMORY_STORAGE',
      'sessions are kept in this process and end with it; use another storage in production.',
    )
  }
  const sessions = new Map<string, SessionRecord>()
  const idsBySelector = new Map<string, string>()
  const idsByUser = new Map<string, Set<string>>()

  const findOfUser = (user: UserRef): SessionRecord[] =>
    [...(idsByUser.get(toUserText(user)) ?? [])].flatMap((id) => sessions.get(id) ?? [])

  const endOne = (session: SessionRecord, { endedAt, endReason }: SessionEnd): void => {
    sessions.set(session.id, { ...session, endedAt, endReason, recentVerifiers: [] })
  }

  return {
    isInProcess: true,
    batchLookups: false,

    create: async (session, options) => {
      options?.signal?.throwIfAborted()
      if (sessions.has(session.id) || idsBySelector.has(session.selectorHash))
        throw createAdapterError('memoryStorage could not create a session', 'TAKEN')
      sessions.set(session.id, copy(session))
      idsBySelector.set(session.selectorHash, session.id)
      const user = toUserText(session)
      idsByUser.set(user, (idsByUser.get(user) ?? new Set()).add(session.id))
    },

    findByIds: async (ids, options) => {
      options?.signal?.throwIfAborted()
      return ids.flatMap((id) => sessions.get(id) ?? []).map(copy)
    },

    findBySelectorHash: async (selectorHash, options) => {
      options?.signal?.throwIfAborted()
      const session = sessions.get(idsBySelector.get(selectorHash) ?? '')
      return session && copy(session)
    },

    rotate: async ({ expectedVerifierHash, ...next }, options) => {
      options?.signal?.throwIfAborted()
      const session = sessions.get(next.id)
      if (session?.verifierHash !== expectedVerifierHash || session.endedAt !== null) return 'stale'
      sessions.set(next.id, copy({ ...session, ...next }))
      return 'rotated'
    },

    end: async (ending, options) => {
      options?.signal?.throwIfAborted()
      const session = sessions.get(ending.id)
      if (session === undefined) return { outcome: 'not-found' }
      const { endedAt, endReason } = session
      if (endedAt !== null) return { outcome: 'already-ended', endedAt, endReason: endReason ?? '' }
      endOne(session, ending)
      return { outcome: 'ended' }
    },

    endAllForUser: async (ending, options) => {
      options?.signal?.throwIfAborted()
      const ended = findOfUser(ending).filter(({ endedAt }) => endedAt === null)
      for (const session of ended) endOne(session, ending)
      return ended.length
    },

    list: async ({ activeAt, limit, ...user }, options) => {
      options?.signal?.throwIfAborted()
      return findOfUser(user)
        .filter((session) => activeAt === undefined || isActive(session, activeAt))
        .sort(byEndAndCreation)
        .slice(0, limit)
        .map(copy)
    },

    endCreatedBefore: async (created, options) => {
      options?.signal?.throwIfAborted()
      const ended = [...sessions.values()]
        .filter((session) => session.issuer === created.issuer && session.createdAt < created.createdBefore)
        .filter((session) => isActive(session, created.endedAt))
        .slice(0, created.limit)
      for (const session of ended) endOne(session, created)
      return ended.length
    },

    deleteExpired: async ({ before, limit }, options) => {
      options?.signal?.throwIfAborted()
      const expired = [...sessions.values()].filter((session) => toEndOrExpiry(session) <= before).slice(0, limit)
      for (const session of expired) {
        sessions.delete(session.id)
        idsBySelector.delete(session.selectorHash)
        const ids = idsByUser.get(toUserText(session))
        ids?.delete(session.id)
        if (ids?.size === 0) idsByUser.delete(toUserText(session))
      }
      return expired.length
    },
  }
}

// JSON distinguishes the ids `1` and `'1'`.
const toUserText = ({ issuer, userId }: UserRef): string => JSON.stringify([issuer, userId])

// `structuredClone` would take forty times as long.
const copy = (session: SessionRecord): SessionRecord => ({
  ...session,
  recentVerifiers: session.recentVerifiers.map((recent) => ({ ...recent })),
})

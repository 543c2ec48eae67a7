import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import type { FoundSession, SessionRecord } from '@jwt-auth/core/adapter'
import { findRecord, findRecords } from '@jwt-auth/test-support/find-records'
import { changeReads, type Mistake, recordSessions } from './mistake.js'

/** Also used by the tests of `runConformance`. */
export const listsOldestFirst: Mistake = {
  does: 'lists the oldest sessions first',
  breakMethods: (storage) => ({
    list: async (list, options) => (await storage.list(list, options)).toReversed(),
  }),
  caughtBy: ['list sorts by createdAt, newest first, to the millisecond, regardless of the order of creation and use'],
}

const hasEnded = (session: FoundSession): boolean => 'endedAt' in session && session.endedAt !== null
const toCreatedAt = (session: FoundSession): number => ('error' in session ? 0 : session.createdAt)
const byCreation = (a: FoundSession, b: FoundSession): number => toCreatedAt(b) - toCreatedAt(a)

/** Mistakes of `list`. */
export const listMistakes: readonly Mistake[] = [
  listsOldestFirst,
  {
    does: 'lists expired sessions too',
    breakMethods: (storage) => ({
      list: ({ activeAt, limit, ...user }, options) =>
        storage.list({ ...user, activeAt: activeAt === undefined ? undefined : 0, limit }, options),
    }),
    caughtBy: ['list includes a session a millisecond before each of its expiries, and omits it at the expiry'],
  },
  {
    does: 'ignores the limit of a list',
    breakMethods: (storage) => ({
      list: ({ activeAt, ...user }, options) => storage.list({ ...user, activeAt, limit: 1_000 }, options),
    }),
    caughtBy: ['list resolves to the newest sessions when the user has more sessions than the limit'],
  },
  {
    does: 'applies the limit of a list to the ended sessions and to the others separately',
    breakMethods: (storage) => ({
      list: async ({ activeAt, limit, ...user }, options) => {
        const listed = await storage.list({ ...user, activeAt, limit: 10_000 }, options)
        const others = listed.filter((session) => !hasEnded(session))
        return [...others.slice(0, limit), ...listed.filter(hasEnded).slice(0, limit)]
      },
    }),
    caughtOnlyBy: ['list without an instant applies its limit to all sessions together, and cuts the end of the list'],
  },
  {
    does: 'lists 256 sessions at most',
    breakMethods: (storage) => ({
      list: ({ activeAt, limit, ...user }, options) =>
        storage.list({ ...user, activeAt, limit: Math.min(limit, 256) }, options),
    }),
    caughtOnlyBy: ['list resolves to 1100 sessions, the most that core asks for, active or ended'],
  },
  {
    does: 'sorts a list by the time of the creation, regardless of the ends',
    breakMethods: (storage) => ({
      list: async (filter, options) => (await storage.list(filter, options)).toSorted(byCreation),
    }),
    caughtOnlyBy: [
      'list without an instant resolves to the unended sessions, newest first, then to the ended ones with their reasons, latest end first',
      'list without an instant applies its limit to all sessions together, and cuts the end of the list',
      'list without an instant resolves to ended and expired sessions until deleteExpired deletes them',
    ],
  },
  {
    does: 'lists no session that endAllForUser ended',
    breakMethods: (storage) => {
      const forgotten = new Set<string>()
      return {
        endAllForUser: async (ending, options) => {
          for (const { id } of await storage.list({ ...ending, activeAt: 0, limit: 10_000 }, options)) forgotten.add(id)
          return storage.endAllForUser(ending, options)
        },
        list: async (filter, options) => (await storage.list(filter, options)).filter(({ id }) => !forgotten.has(id)),
      }
    },
    caughtOnlyBy: [
      'list without an instant resolves to sessions that endAllForUser ended, of one user of one issuer only',
    ],
  },
  {
    does: 'lists and ends the sessions of all issuers',
    breakMethods: (storage) => {
      const { stored, create } = recordSessions(storage)
      const findIssuers = (issuer: string) => [...new Set([issuer, ...stored.map((session) => session.issuer)])]
      return {
        create,
        endAllForUser: async ({ issuer, userId, ...ending }, options) => {
          let ended = 0
          for (const each of findIssuers(issuer)) {
            ended += await storage.endAllForUser({ issuer: each, userId, ...ending }, options)
          }
          return ended
        },
        list: async ({ issuer, userId, ...list }, options) => {
          const lists = findIssuers(issuer).map((each) => storage.list({ issuer: each, userId, ...list }, options))
          return (await Promise.all(lists)).flat()
        },
      }
    },
    caughtBy: ['list and endAllForUser distinguish the same user id of several issuers'],
  },
  {
    does: 'looks up user ids as text and as numbers',
    breakMethods: (storage) => ({
      list: async (list, options) => [
        ...(await storage.list({ ...list, userId: String(list.userId) }, options)),
        ...(await storage.list({ ...list, userId: Number(list.userId) }, options)),
      ],
    }),
    caughtBy: [
      'list and endAllForUser distinguish integers from one another and from texts that read as the same number',
    ],
  },
]

const instants: readonly ((session: SessionRecord) => number)[] = [
  ({ endedAt }) => endedAt ?? Number.POSITIVE_INFINITY,
  ({ idleExpiresAt }) => idleExpiresAt,
  ({ absoluteExpiresAt }) => absoluteExpiresAt,
]

/** The case that waits for a backend. */
export const waitsForDeletions = 'the backend deletes no session earlier than a day after its absolute expiry'

/**
 * Returns a mistake of a storage whose database deletes a session by a clock of its own, in whole
 * seconds, at least one. `isMoved` says whether each write moves the time to live.
 */
const deletesByItsClock = (when: string, toExpiry: (session: SessionRecord) => number, isMoved = true): Mistake => ({
  does: `lets the database delete a session ${when}`,
  breakMethods: (storage) => {
    const deletions = new Map<string, number>()
    const move = async (sessionId: string): Promise<void> => {
      const session = await findRecord(storage, sessionId)
      if (session !== undefined) deletions.set(sessionId, Math.max(Date.now() + 1_000, toExpiry(session)))
    }
    const rotate: SessionStorage['rotate'] = async (rotation, options) => {
      const outcome = await storage.rotate(rotation, options)
      await move(rotation.id)
      return outcome
    }
    const end: SessionStorage['end'] = async (ending, options) => {
      const outcome = await storage.end(ending, options)
      await move(ending.id)
      return outcome
    }
    return {
      ...changeReads(storage, (session) => (Date.now() < (deletions.get(session.id) ?? 0) ? session : undefined)),
      create: async (session, options) => {
        await storage.create(session, options)
        await move(session.id)
      },
      ...(isMoved ? { rotate, end } : {}),
    }
  },
  caughtBy: [waitsForDeletions],
})

/** Mistakes of `deleteExpired`. */
export const cleanUpMistakes: readonly Mistake[] = [
  deletesByItsClock('at the idle expiry of the login', ({ idleExpiresAt }) => idleExpiresAt, false),
  deletesByItsClock('at the idle expiry', ({ idleExpiresAt }) => idleExpiresAt),
  deletesByItsClock('five seconds after its end', ({ endedAt }) => (endedAt ?? Number.POSITIVE_INFINITY) + 5_000),
  deletesByItsClock(
    'a day after the idle expiry of the login',
    ({ idleExpiresAt }) => idleExpiresAt + 86_400_000,
    false,
  ),
  deletesByItsClock('at the absolute expiry', ({ absoluteExpiresAt }) => absoluteExpiresAt),
  {
    does: 'deletes active sessions too',
    breakMethods: (storage) => ({
      deleteExpired: ({ limit }, options) => storage.deleteExpired({ before: Number.MAX_SAFE_INTEGER, limit }, options),
    }),
    caughtBy: ['deleteExpired keeps a session if a rotation has moved its idle expiry past the given instant'],
  },
  {
    does: 'deletes all expired sessions in one call',
    breakMethods: (storage) => ({
      deleteExpired: ({ before }, options) =>
        storage.deleteExpired({ before, limit: Number.MAX_SAFE_INTEGER }, options),
    }),
    caughtBy: ['deleteExpired deletes at most the limit per call, of sessions that ended or expired in any way'],
  },
  {
    does: 'applies the limit to ended, idle-expired and absolutely expired sessions separately',
    breakMethods: (storage) => {
      const { stored, create } = recordSessions(storage)
      return {
        create,
        deleteExpired: async ({ before, limit }, options) => {
          const lookups = await Promise.allSettled(stored.map(({ id }) => findRecords(storage, [id], options)))
          const found = lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []))
          const unreadable = lookups.filter((lookup) => lookup.status === 'rejected')
          const counts = instants.map((instantOf) => found.filter((each) => instantOf(each) <= before).length)
          const most = counts.reduce((sum, count) => sum + Math.min(count, limit), unreadable.length)
          return storage.deleteExpired({ before, limit: Math.max(most, 1) }, options)
        },
      }
    },
    caughtOnlyBy: ['deleteExpired deletes at most the limit per call, of sessions that ended or expired in any way'],
  },
  {
    does: 'selects expired sessions, and deletes them later without checking again',
    breakMethods: (storage) => {
      const { stored, create } = recordSessions(storage)
      const deleted = new Set<string>()
      return {
        ...changeReads(storage, (session) => (deleted.has(session.id) ? undefined : session)),
        create,
        deleteExpired: async ({ before, limit }, options) => {
          const ids = stored.map(({ id }) => id)
          const found = await findRecords(storage, ids, options)
          const expired = found.filter((session) => session.idleExpiresAt <= before).slice(0, limit)
          await setImmediate()
          for (const { id } of expired) deleted.add(id)
          return expired.length
        },
      }
    },
    caughtBy: ['a session is either rotated or deleted when rotate and deleteExpired run concurrently'],
  },
]

import { setImmediate } from 'node:timers/promises'
import type { UserId } from '@jwt-auth/core'
import type { SessionEnd, SessionRecord } from '@jwt-auth/core/adapter'
import { findRecord } from '@jwt-auth/test-support/find-records'
import { wrapCalls } from '../support/test-storages.js'
import { changeReads, type Mistake, recordSessions } from './mistake.js'

/** Mistakes of the methods that create, rotate and end sessions. */
export const changeMistakes: readonly Mistake[] = [
  {
    does: 'sends a call again when its response was lost',
    breakMethods: (storage) => wrapCalls(storage, (send, options) => send(options).catch(() => send(options))),
    caughtBy: [
      'end rejects and writes all or nothing when the response is lost after the commit, and a repeat completes the write',
      'endAllForUser rejects and writes all or nothing when the response is lost after the commit, and a repeat completes the write',
      'rotate rejects and writes all or nothing when the response is lost after the commit, and a repeat completes the write',
    ],
  },
  {
    does: 'overwrites the session that has the same id',
    breakMethods: (storage) => {
      const latest = new Map<string, SessionRecord>()
      return {
        ...changeReads(storage, (session) => latest.get(session.id) ?? session),
        create: async (session, options) => {
          const [known] = await storage.findByIds([session.id], options)
          if (known === undefined) return storage.create(session, options)
          latest.set(session.id, structuredClone(session))
        },
      }
    },
    caughtBy: ['create rejects a session whose id an active or ended session has, and stores nothing of it'],
  },
  {
    does: 'reads a session, and writes the rotation later without checking again',
    breakMethods: (storage) => ({
      rotate: async (rotation, options) => {
        const found = await findRecord(storage, rotation.id, options)
        if (found?.verifierHash !== rotation.expectedVerifierHash || found.endedAt !== null) return 'stale'
        await setImmediate()
        await storage.rotate(rotation, options)
        return 'rotated'
      },
    }),
    caughtBy: ['one of four concurrent rotate calls with the same expected verifier hash resolves to rotated'],
  },
  {
    does: 'takes a rotation that is repeated for a retry of its own',
    breakMethods: (storage) => ({
      rotate: async (rotation, options) => {
        const outcome = await storage.rotate(rotation, options)
        const found = await findRecord(storage, rotation.id, options)
        return found?.endedAt === null && found.verifierHash === rotation.verifierHash ? 'rotated' : outcome
      },
    }),
    caughtOnlyBy: ['rotate resolves to stale when the same rotation is repeated, and keeps the first rotation'],
  },
  {
    does: 'ignores how many rows a rotation changed',
    breakMethods: (storage) => ({
      rotate: async (rotation, options) => {
        await storage.rotate(rotation, options)
        return 'rotated'
      },
    }),
    caughtBy: ['rotate resolves to stale and writes nothing when the verifier hash is not the expected one'],
  },
  {
    does: 'compares only the verifier hash of a rotation, and ignores endedAt',
    breakMethods: (storage) => {
      const rotated = new Map<string, string>()
      return {
        ...changeReads(storage, (session) => ({
          ...session,
          verifierHash: rotated.get(session.id) ?? session.verifierHash,
        })),
        rotate: async (rotation, options) => {
          const found = await findRecord(storage, rotation.id, options)
          if (found?.verifierHash !== rotation.expectedVerifierHash || found.endedAt === null) {
            return storage.rotate(rotation, options)
          }
          rotated.set(rotation.id, rotation.verifierHash)
          return 'rotated'
        },
      }
    },
    caughtBy: ['rotate resolves to stale after end, and the session stays ended'],
  },
  {
    does: 'writes back the whole record that a rotation read earlier, with its old endedAt',
    breakMethods: (storage) => {
      const revived = new Set<string>()
      return {
        ...changeReads(storage, (session) =>
          revived.has(session.id) ? { ...session, endedAt: null, endReason: null } : session,
        ),
        rotate: async (rotation, options) => {
          const before = await findRecord(storage, rotation.id, options)
          await setImmediate()
          const after = await findRecord(storage, rotation.id, options)
          if (before?.endedAt !== null || after?.endedAt === null) return storage.rotate(rotation, options)
          revived.add(rotation.id)
          return 'rotated'
        },
      }
    },
    caughtBy: ['a session stays ended when rotate and end run concurrently, in either order'],
  },
  {
    does: 'writes a rotation in two statements, and checks the signal between them',
    breakMethods: (storage) => ({
      rotate: async (rotation, options) => {
        const session = await findRecord(storage, rotation.id)
        if (session === undefined) return 'stale'
        const { verifierHash, recentVerifiers } = session
        await storage.rotate({ ...rotation, verifierHash, recentVerifiers })
        await setImmediate()
        options?.signal?.throwIfAborted()
        return storage.rotate(rotation)
      },
    }),
    caughtBy: ['rotate writes all or nothing when its signal aborts during the call'],
  },
  {
    does: 'moves the idle expiry forward only',
    breakMethods: (storage) => ({
      rotate: async (rotation, options) => {
        const found = await findRecord(storage, rotation.id, options)
        const idleExpiresAt = Math.max(found?.idleExpiresAt ?? 0, rotation.idleExpiresAt)
        return storage.rotate({ ...rotation, idleExpiresAt }, options)
      },
    }),
    caughtOnlyBy: ['rotate moves the idle expiry back when the new idle expiry is earlier'],
  },
  {
    does: 'moves rotatedAt and lastUsedAt forward only',
    breakMethods: (storage) => ({
      rotate: async (rotation, options) => {
        const found = await findRecord(storage, rotation.id, options)
        const rotatedAt = Math.max(found?.rotatedAt ?? 0, rotation.rotatedAt)
        const lastUsedAt = Math.max(found?.lastUsedAt ?? 0, rotation.lastUsedAt)
        return storage.rotate({ ...rotation, rotatedAt, lastUsedAt }, options)
      },
    }),
    caughtOnlyBy: [
      'rotate moves rotatedAt and lastUsedAt back when the new values are earlier, because a clock is behind',
    ],
  },
  {
    does: 'reads whether a session has ended, and ends it later without checking again',
    breakMethods: (storage) => ({
      end: async ({ id: sessionId, ...ending }, options) => {
        const found = await findRecord(storage, sessionId, options)
        if (found?.endedAt !== null) return storage.end({ id: sessionId, ...ending }, options)
        await setImmediate()
        await storage.end({ id: sessionId, ...ending }, options)
        return { outcome: 'ended' }
      },
    }),
    caughtBy: [
      'one of four concurrent end calls resolves to ended, and the others to already-ended with its time and reason',
    ],
  },
  {
    does: 'overwrites the time and reason of the first end',
    breakMethods: (storage) => {
      const latest = new Map<string, SessionEnd>()
      return {
        ...changeReads(storage, (session) => ({ ...session, ...latest.get(session.id) })),
        end: async ({ id: sessionId, ...ending }, options) => {
          const outcome = await storage.end({ id: sessionId, ...ending }, options)
          latest.set(sessionId, { ...ending })
          return outcome
        },
      }
    },
    caughtBy: ['end resolves to already-ended with the first time and reason for later callers, and keeps both'],
  },
  {
    does: 'overwrites the time and reason of sessions that ended before endAllForUser',
    breakMethods: (storage) => {
      const latest = new Map<UserId, SessionEnd>()
      return {
        ...changeReads(storage, (session) =>
          session.endedAt === null ? session : { ...session, ...latest.get(session.userId) },
        ),
        endAllForUser: async (ending, options) => {
          const count = await storage.endAllForUser(ending, options)
          latest.set(ending.userId, { endedAt: ending.endedAt, endReason: ending.endReason })
          return count
        },
      }
    },
    caughtBy: [
      'endAllForUser counts only the sessions that it ended, and keeps the first time and reason of the others',
    ],
  },
  {
    does: 'counts the sessions of a user, and ends them later',
    breakMethods: (storage) => ({
      endAllForUser: async (ending, options) => {
        const active = await storage.list({ ...ending, activeAt: 0, limit: 1_000 }, options)
        await setImmediate()
        await storage.endAllForUser(ending, options)
        return active.length
      },
    }),
    caughtBy: ['16 concurrent endAllForUser calls count each session once'],
  },
  {
    does: 'ends at most 1,000 sessions of a user',
    breakMethods: (storage) => ({
      endAllForUser: async (ending, options) => {
        const found = await storage.list({ ...ending, limit: 1_000 }, options)
        if (found.length < 1_000) return storage.endAllForUser(ending, options)
        const ends = await Promise.all(found.map(({ id }) => storage.end({ ...ending, id }, options)))
        return ends.filter(({ outcome }) => outcome === 'ended').length
      },
    }),
    caughtOnlyBy: ['endAllForUser ends 1,200 sessions of one user in one call'],
  },
  {
    does: 'ends the sessions of every issuer that were created before the instant',
    breakMethods: (storage) => {
      const { stored, create } = recordSessions(storage)
      return {
        create,
        endCreatedBefore: async (created, options) => {
          let ended = 0
          for (const issuer of new Set(stored.map((session) => session.issuer))) {
            ended += await storage.endCreatedBefore({ ...created, issuer }, options)
          }
          return ended
        },
      }
    },
    caughtBy: ['endCreatedBefore ends no session of another issuer'],
  },
]

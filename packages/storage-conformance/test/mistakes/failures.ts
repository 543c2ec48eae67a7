import { toStorageStatus } from '@jwt-auth/core/adapter'
import { sampleUser } from '@jwt-auth/storage-conformance'
import { untilAborted, wrapCalls } from '../support/test-storages.js'
import { type Mistake, recordSessions, requireReadable } from './mistake.js'

/** Mistakes with signals. */
export const signalMistakes: readonly Mistake[] = [
  {
    does: 'ignores the signal of a call',
    breakMethods: (storage) => ({ end: (ending) => storage.end(ending) }),
    caughtBy: ['end rejects, with no bound value in the error, and has no effect when its signal has already aborted'],
  },
  {
    does: 'adds a listener to the signal and never removes it',
    breakMethods: (storage) => ({
      end: (ending, options) => {
        options?.signal?.addEventListener('abort', () => {})
        return storage.end(ending, options)
      },
    }),
    caughtOnlyBy: [
      'no method leaves a listener on the signal of a settled call',
      'no method leaves a listener on the signal of a call that the backend fails',
    ],
  },
  {
    does: 'keeps its listener on the signal when the call rejects',
    breakMethods: (storage) => ({
      end: async (ending, options) => {
        const listen = () => {}
        options?.signal?.addEventListener('abort', listen)
        const outcome = await storage.end(ending, options)
        options?.signal?.removeEventListener('abort', listen)
        return outcome
      },
    }),
    caughtOnlyBy: ['no method leaves a listener on the signal of a call that the backend fails'],
  },
  {
    does: 'sends ten calls at a time, and sends a queued call after it rejected it at its deadline',
    breakMethods: (storage) => {
      const waiting: (() => void)[] = []
      let inFlight = 0
      const inTurn = async <T>(send: () => Promise<T>): Promise<T> => {
        if (inFlight >= 10) await new Promise<void>((resolve) => waiting.push(resolve))
        inFlight += 1
        try {
          return await send()
        } finally {
          inFlight -= 1
          waiting.shift()?.()
        }
      }
      return wrapCalls(storage, async (send, options) => {
        options?.signal?.throwIfAborted()
        return untilAborted(inTurn(send), options?.signal)
      })
    },
    caughtOnlyBy: ['a call is never sent when its signal aborts while the call waits to be sent'],
  },
  {
    does: 'waits for the backend before it rejects a call whose signal aborted',
    breakMethods: (storage) => ({
      end: async (ending, options) => {
        try {
          return await storage.end(ending, options)
        } catch (error) {
          await storage.findByIds([])
          throw error
        }
      },
    }),
    caughtOnlyBy: [
      'every method rejects, with no bound value in the error, when its signal aborts while the call waits for the backend, before the backend responds',
    ],
  },
]

/** Mistakes with errors and with `status`. */
export const errorMistakes: readonly Mistake[] = [
  {
    does: 'writes the session id into the message of an error',
    breakMethods: (storage) => ({
      end: async ({ id: sessionId, ...ending }, options) => {
        try {
          return await storage.end({ id: sessionId, ...ending }, options)
        } catch (cause) {
          throw new Error(`could not end session ${sessionId}`, { cause })
        }
      },
    }),
    caughtOnlyBy: [
      'end rejects, with no bound value in the error, and has no effect when its signal has already aborted',
      'end rejects, with no bound value in the error, when the backend fails',
      'every method rejects, with no bound value in the error, when its signal aborts while the call waits for the backend, before the backend responds',
    ],
  },
  {
    // Drivers write the values of a duplicate key into a property.
    does: 'keeps the error of the driver as the cause',
    breakMethods: (storage) => ({
      create: async (session, options) => {
        try {
          await storage.create(session, options)
        } catch {
          const detail = `Key (user_id, selector_hash)=(${session.userId}, ${session.selectorHash}) already exists.`
          const cause = Object.assign(new Error('duplicate key'), { detail })
          throw new Error('could not create a session', { cause })
        }
      },
    }),
    caughtOnlyBy: [
      'no error contains a bound value when create rejects a duplicate',
      'create rejects, with no bound value in the error, and has no effect when its signal has already aborted',
      'create rejects, with no bound value in the error, when the backend fails',
      'every method rejects, with no bound value in the error, when its signal aborts while the call waits for the backend, before the backend responds',
    ],
  },
  {
    does: 'reports isReady before its migration ran',
    breakMethods: () => ({
      status: async () => ({ ...toStorageStatus({ schemaVersion: 0, oldestCompatible: 0 }, 1), isReady: true }),
    }),
    caughtOnlyBy: [
      'status, if it exists, resolves to a result that agrees with its schema versions',
      'status, if it exists, resolves to unreachable when the backend fails, and never rejects',
    ],
  },
  {
    does: 'rejects status when the backend fails',
    breakMethods: (storage) => ({
      status: async () => {
        await storage.findBySelectorHash('any')
        return toStorageStatus({ schemaVersion: 1, oldestCompatible: 1 }, 1)
      },
    }),
    caughtOnlyBy: ['status, if it exists, resolves to unreachable when the backend fails, and never rejects'],
  },
]

/** Mistakes with sessions that cannot be read. */
export const damageMistakes: readonly Mistake[] = [
  {
    does: 'omits an unreadable session from the result of a batch',
    breakMethods: (storage) => ({
      findByIds: async (ids, options) =>
        (await storage.findByIds(ids, options)).filter((session) => !('error' in session)),
    }),
    caughtOnlyBy: [
      'findByIds resolves to the readable sessions, and to the ids and the errors of all sessions that cannot be read',
    ],
  },
  {
    does: 'rejects a list that contains an unreadable session',
    breakMethods: (storage) => ({
      list: async (list, options) => {
        const listed = await storage.list(list, options)
        requireReadable(listed)
        return listed
      },
    }),
    caughtOnlyBy: [
      'list resolves to the readable sessions, and to the id and the error of a session that cannot be read',
      'list with an instant omits an ended session that cannot be read, and list without one contains its id',
    ],
  },
  {
    does: 'looks a session up before it ends the session',
    breakMethods: (storage) => ({
      end: async ({ id: sessionId, ...ending }, options) => {
        const found = await storage.findByIds([sessionId], options)
        requireReadable(found)
        return found.length === 0 ? { outcome: 'not-found' } : storage.end({ id: sessionId, ...ending }, options)
      },
    }),
    caughtOnlyBy: ['end ends a session that cannot be read, and keeps its time and reason'],
  },
  {
    does: 'looks up the sessions of a user before it ends them',
    breakMethods: (storage) => ({
      endAllForUser: async (ending, options) => {
        requireReadable(await storage.list({ ...ending, activeAt: 0, limit: 10_000 }, options))
        return storage.endAllForUser(ending, options)
      },
    }),
    caughtOnlyBy: ['endAllForUser ends all sessions of a user when one of them cannot be read, and that one too'],
  },
  {
    does: 'looks up the sessions of a user before endCreatedBefore ends them',
    breakMethods: (storage) => ({
      endCreatedBefore: async (ending, options) => {
        for (const userId of [1, 'known user']) {
          requireReadable(await storage.list({ ...sampleUser(userId), activeAt: 0, limit: 10_000 }, options))
        }
        return storage.endCreatedBefore(ending, options)
      },
    }),
    caughtOnlyBy: ['endCreatedBefore ends all sessions when one of them cannot be read, and that one too'],
  },
  {
    does: 'looks the sessions up before it deletes any',
    breakMethods: (storage) => {
      const { stored, create } = recordSessions(storage)
      return {
        create,
        deleteExpired: async ({ before, limit }, options) => {
          const ids = stored.map(({ id }) => id)
          requireReadable(await storage.findByIds(ids, options))
          return storage.deleteExpired({ before, limit }, options)
        },
      }
    },
    caughtOnlyBy: ['deleteExpired deletes all sessions when one of them cannot be read, and that one too'],
  },
]

import { type Awaitable, andThen, isPromise } from '../awaitable.js'
import { AuthError } from '../errors/auth-error.js'
import type { System } from '../system.js'
import type { CallOptions } from './call-options.js'
import type { RunInTime } from './deadline.js'
import { createSchemaCheck } from './schema-check.js'
import type { SessionStorage } from './session-storage.js'

/**
 * Wraps a storage so that a failure, an answer outside the contract and an answer that comes too late become one thing,
 * `jwt_auth_unavailable`, and never "not found" or "authenticated" (the cause keeps what happened). A storage whose schema this code must not
 * use counts as one that fails.
 */
export const createCheckedStorage = (
  storage: SessionStorage,
  runInTime: RunInTime,
  now: System['now'],
): SessionStorage => {
  const checkSchema = createSchemaCheck(storage, { runInTime, now })

  const askAbout =
    (sessionId?: string) =>
    <T>(
      method: string,
      call: (options: CallOptions) => Awaitable<T>,
      fits: (answer: unknown) => boolean,
    ): Awaitable<T> => {
      const fail = (cause: unknown): never => {
        throw unavailable(cause, sessionId)
      }
      return andThen(checkSchema()?.catch(fail), () =>
        andThen(answerInTime(runInTime, call, fail), (answer) => {
          if (fits(answer)) return answer
          return fail(new TypeError(`jwt-auth: storage.${method} gave an answer that its contract does not know.`))
        }),
      )
    }

  const ask = askAbout()

  return {
    create: async (session) => ask('create', (options) => storage.create(session, options), isAnything),
    findByIds: (ids) =>
      askAbout(ids.length === 1 ? ids[0] : undefined)(
        'findByIds',
        (options) => storage.findByIds(ids, options),
        isRecordList,
      ),
    findBySelectorHash: async (hash) =>
      ask('findBySelectorHash', (options) => storage.findBySelectorHash(hash, options), isRecordOrUndefined),
    rotate: async (rotation) => ask('rotate', (options) => storage.rotate(rotation, options), isRotateOutcome),
    end: async (id, ending) => ask('end', (options) => storage.end(id, ending, options), isEndOutcome),
    endAllForUser: async (user, ending) =>
      ask('endAllForUser', (options) => storage.endAllForUser(user, ending, options), isCount),
    listActive: async (user, list) =>
      ask('listActive', (options) => storage.listActive(user, list, options), isRecordList),
    endCreatedBefore: async (created, ending) =>
      ask('endCreatedBefore', (options) => storage.endCreatedBefore(created, ending, options), isCount),
    clearRecentVerifiers: async (rotatedBefore, limit) =>
      ask('clearRecentVerifiers', (options) => storage.clearRecentVerifiers(rotatedBefore, limit, options), isCount),
    deleteExpired: async (expiredBefore, limit) =>
      ask('deleteExpired', (options) => storage.deleteExpired(expiredBefore, limit, options), isCount),
  }
}

const answerInTime = <T>(
  runInTime: RunInTime,
  call: (options: CallOptions) => Awaitable<T>,
  fail: (cause: unknown) => never,
): Awaitable<T> => {
  try {
    const answer = runInTime((signal) => call({ signal }))
    return isPromise(answer) ? answer.catch(fail) : answer
  } catch (cause) {
    // An adapter that throws instead of rejecting.
    return fail(cause)
  }
}

/**
 * Creates the error of a storage that does not do its work. Adapters keep ids out of their errors, so that the detail names the session
 * that was looked up, if it was a single one.
 */
export const unavailable = (cause: unknown, sessionId?: string): AuthError =>
  new AuthError('jwt_auth_unavailable', {
    cause,
    detail: sessionId === undefined ? 'storage failed' : `storage failed for session ${sessionId}`,
  })

const isAnything = (): boolean => true

const isRotateOutcome = (answer: unknown): boolean => answer === 'rotated' || answer === 'stale'

const isCount = (answer: unknown): boolean => Number.isSafeInteger(answer) && Number(answer) >= 0

const isRecord = (answer: unknown): boolean => typeof answer === 'object' && answer !== null && 'verifierHash' in answer

const isRecordOrUndefined = (answer: unknown): boolean => answer === undefined || isRecord(answer)

const isRecordList = (answer: unknown): boolean => Array.isArray(answer) && answer.every(isRecord)

const isEndOutcome = (answer: unknown): boolean =>
  typeof answer === 'object' &&
  answer !== null &&
  'outcome' in answer &&
  (answer.outcome === 'ended' || answer.outcome === 'already-ended' || answer.outcome === 'not-found')

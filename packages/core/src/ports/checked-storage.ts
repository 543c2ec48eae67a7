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

  // A storage in this process has nothing to cancel.
  const toOptions = (getSignal: () => AbortSignal): CallOptions =>
    storage.isInProcess === true ? {} : { signal: getSignal() }

  const ask = async <T>(
    method: string,
    call: (options: CallOptions) => Promise<T>,
    { fits, sessionId }: { readonly fits: (answer: unknown) => boolean; readonly sessionId?: string | undefined },
  ): Promise<T> => {
    try {
      const check = checkSchema()
      if (check !== undefined) await check
      const answer = await runInTime((getSignal) => call(toOptions(getSignal)))
      if (fits(answer)) return answer
    } catch (cause) {
      throw toStorageError(cause, sessionId)
    }
    throw toStorageError(
      new TypeError(`jwt-auth: storage.${method} gave an answer that its contract does not know.`),
      sessionId,
    )
  }

  return {
    create: (session) => ask('create', (options) => storage.create(session, options), { fits: isAnything }),
    findByIds: (ids) =>
      ask('findByIds', (options) => storage.findByIds(ids, options), {
        fits: isRecordList,
        sessionId: ids.length === 1 ? ids[0] : undefined,
      }),
    findBySelectorHash: (hash) =>
      ask('findBySelectorHash', (options) => storage.findBySelectorHash(hash, options), { fits: isRecordOrUndefined }),
    rotate: (rotation) => ask('rotate', (options) => storage.rotate(rotation, options), { fits: isRotateOutcome }),
    end: (id, ending) => ask('end', (options) => storage.end(id, ending, options), { fits: isEndOutcome }),
    endAllForUser: (user, ending) =>
      ask('endAllForUser', (options) => storage.endAllForUser(user, ending, options), { fits: isCount }),
    listActive: (user, list) =>
      ask('listActive', (options) => storage.listActive(user, list, options), { fits: isRecordList }),
    endCreatedBefore: (created, ending) =>
      ask('endCreatedBefore', (options) => storage.endCreatedBefore(created, ending, options), { fits: isCount }),
    clearRecentVerifiers: (rotatedBefore, limit) =>
      ask('clearRecentVerifiers', (options) => storage.clearRecentVerifiers(rotatedBefore, limit, options), {
        fits: isCount,
      }),
    deleteExpired: (expiredBefore, limit) =>
      ask('deleteExpired', (options) => storage.deleteExpired(expiredBefore, limit, options), { fits: isCount }),
  }
}

/**
 * Creates the error of a storage that does not do its work. Adapters keep ids out of their errors, so that the detail names the session
 * that was looked up, if it was a single one.
 */
export const toStorageError = (cause: unknown, sessionId?: string): AuthError =>
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

import { AuthError } from '../errors/auth-error.js'
import type { SessionStorage } from './session-storage.js'

/**
 * Wraps a storage so that a failure and an answer outside the contract become one thing, `jwt_auth_unavailable`, and
 * never "not found" or "let in" (the cause keeps what happened).
 */
export const createCheckedStorage = (storage: SessionStorage): SessionStorage => ({
  create: (session) => ask('create', () => storage.create(session), isAnything),
  findByIds: (ids) => ask('findByIds', () => storage.findByIds(ids), isRecordList),
  findBySelectorHash: (hash) => ask('findBySelectorHash', () => storage.findBySelectorHash(hash), isRecordOrUndefined),
  rotate: (rotation) =>
    ask(
      'rotate',
      () => storage.rotate(rotation),
      (answer) => answer === 'rotated' || answer === 'stale',
    ),
  end: (id, ending) => ask('end', () => storage.end(id, ending), isEndOutcome),
  endAllOfUser: (userId, ending, except) =>
    ask('endAllOfUser', () => storage.endAllOfUser(userId, ending, except), isCount),
  listLive: (userId, now) => ask('listLive', () => storage.listLive(userId, now), isRecordList),
  deleteOver: (overBefore, limit) => ask('deleteOver', () => storage.deleteOver(overBefore, limit), isCount),
})

const ask = async <T>(method: string, call: () => Promise<T>, fits: (answer: unknown) => boolean): Promise<T> => {
  const answer = await answerOf(call)
  if (fits(answer)) return answer
  throw unavailable(new TypeError(`jwt-auth: storage.${method} gave an answer that its contract does not know.`))
}

const answerOf = async <T>(call: () => Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (cause) {
    throw unavailable(cause)
  }
}

const unavailable = (cause: unknown): AuthError => new AuthError('jwt_auth_unavailable', { cause })

const isAnything = (): boolean => true

const isCount = (answer: unknown): boolean => Number.isSafeInteger(answer) && Number(answer) >= 0

const isRecord = (answer: unknown): boolean => typeof answer === 'object' && answer !== null && 'verifierHash' in answer

const isRecordOrUndefined = (answer: unknown): boolean => answer === undefined || isRecord(answer)

const isRecordList = (answer: unknown): boolean => Array.isArray(answer) && answer.every(isRecord)

const isEndOutcome = (answer: unknown): boolean =>
  typeof answer === 'object' &&
  answer !== null &&
  'outcome' in answer &&
  (answer.outcome === 'ended' || answer.outcome === 'already-ended' || answer.outcome === 'not-found')

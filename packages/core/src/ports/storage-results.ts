import { describeValue } from '../option-checks.js'

/** A method of the storage whose results the service checks. */
export type StorageMethod = keyof typeof contracts

/**
 * Checks a result at run time, because adapters are written in JavaScript too and a wrong result would look like a missing session.
 *
 * @throws TypeError that names the method, the kind of value it resolved to, and the fix. Never prints text, because it may be
 * a part of a session.
 */
export const checkResult = (method: StorageMethod, result: unknown): void => {
  const { expected, allows } = contracts[method]
  if (allows(result)) return
  throw new TypeError(
    `jwt-auth: storage.${method} resolved to ${describeValue(result)}; it must resolve to ${expected}. Correct the storage adapter, and test it with @jwt-auth/storage-conformance.`,
  )
}

const isCount = (result: unknown): boolean => Number.isSafeInteger(result) && Number(result) >= 0

const isRecord = (result: unknown): boolean => typeof result === 'object' && result !== null && 'verifierHash' in result

const isRecordList = (result: unknown): boolean => Array.isArray(result) && result.every(isRecord)

const isUnreadable = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && 'error' in result && 'id' in result && typeof result.id === 'string'

const isListed = (result: unknown): boolean =>
  Array.isArray(result) && result.every((each) => isRecord(each) || isUnreadable(each))

const isEndOutcome = (result: unknown): boolean =>
  typeof result === 'object' &&
  result !== null &&
  'outcome' in result &&
  (result.outcome === 'ended' || result.outcome === 'already-ended' || result.outcome === 'not-found')

const count = { expected: 'a number of sessions, 0 or more', allows: isCount }
const records = { expected: 'an array of session records', allows: isRecordList }

const contracts = {
  create: { expected: 'nothing', allows: () => true },
  findByIds: records,
  findBySelectorHash: {
    expected: 'a session record or undefined',
    allows: (result: unknown) => result === undefined || isRecord(result),
  },
  rotate: { expected: "'rotated' or 'stale'", allows: (result: unknown) => result === 'rotated' || result === 'stale' },
  end: { expected: "an object with the outcome 'ended', 'already-ended' or 'not-found'", allows: isEndOutcome },
  endAllForUser: count,
  list: {
    expected: 'an array of session records, or of ids and errors of unreadable sessions',
    allows: isListed,
  },
  endCreatedBefore: count,
  clearRecentVerifiers: count,
  deleteExpired: count,
}

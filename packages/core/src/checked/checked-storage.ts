import type { AuthError } from '../errors/auth-error.js'
import type { Difference } from '../errors/difference.js'
import { describeValue, getMember } from '../option-checks.js'
import type {
  CreatedBefore,
  FoundSession,
  Rotation,
  SessionEnd,
  SessionFilter,
  SessionRecord,
  SessionStorage,
  UserRef,
} from '../ports/session-storage.js'
import type { CallOptions, EpochMs } from '../system.js'
import { calls, trace } from '../tracing.js'
import { createCoalescedLookup } from './coalesced-lookup.js'
import { createSchemaCheck, type SchemaCheckOptions } from './schema-check.js'
import { toStorageError } from './storage-error.js'

/** The options of {@link createCheckedStorage}. */
export interface CheckedStorageOptions extends SchemaCheckOptions {
  /** The issuer of the service, and its former issuers. */
  readonly issuers: readonly string[]
  /** Called with the error of each listed session that cannot be read. */
  readonly report: (error: AuthError) => void
  /** Called with a session of another issuer that a token named. */
  readonly reportDifference: (difference: Difference) => unknown
}

type Input<Method extends StorageMethod> = Parameters<SessionStorage[Method]>[0]
type Result<Method extends StorageMethod> = Awaited<ReturnType<SessionStorage[Method]>>

/**
 * Creates the view of one service on a storage: the sessions with the service's issuer or one of
 * its former issuers. Other services may share the storage. For the service, a session of another
 * issuer does not exist (docs/design/sessions.md).
 *
 * Every method throws `jwt_auth_unavailable` when the storage fails, does not respond in time,
 * resolves to a value outside its contract, or has a schema that this code must not use. None of
 * these ever looks like a missing session.
 */
export const createCheckedStorage = (
  storage: SessionStorage,
  { issuers, report, reportDifference, ...schemaOptions }: CheckedStorageOptions,
) => {
  const schemaCheck = storage.status && createSchemaCheck(storage.status.bind(storage), schemaOptions)
  const requireReadable = (session: FoundSession | undefined): SessionRecord | undefined => {
    if (session === undefined) return undefined
    if ('error' in session) throw toStorageError(session.error, session.id)
    const { issuer } = session
    if (issuers.includes(issuer)) return session
    reportDifference({ subject: 'issuer of the session of a token', theirs: issuer, own: 'issuer', ours: issuers })
    return undefined
  }
  const { runInTime } = schemaOptions
  // Calls a method of the storage. Errors name the session that the call is about.
  const ask = async <Method extends StorageMethod>(
    method: Method,
    input: Input<Method>,
    sessionId?: string,
    isTraced = false,
  ): Promise<Result<Method>> => {
    if (calls.storage.hasSubscribers && !isTraced) {
      const size = Array.isArray(input) ? input.length : undefined
      return trace(calls.storage, { operation: method, size }, () => ask(method, input, sessionId, true))
    }
    try {
      const check = schemaCheck?.beforeCall()
      if (check !== undefined) await check
      // TypeScript does not see that the method of a name takes the input of that name.
      const call = storage[method] as (input: Input<Method>, options: CallOptions) => Promise<Result<Method>>
      // A storage in this process waits for nothing.
      const result = storage.isInProcess
        ? await call.call(storage, input, {})
        : await runInTime((options) => call.call(storage, input, options))
      checkResult(method, result)
      return result
    } catch (cause) {
      schemaCheck?.afterFailure()
      throw toStorageError(cause, sessionId)
    }
  }

  const findByIds = (ids: readonly string[]): Promise<readonly FoundSession[]> =>
    ask('findByIds', ids, ids.length === 1 ? ids[0] : undefined)

  const findInBatch = storage.batchLookups === false ? undefined : createCoalescedLookup(findByIds, runInTime)

  return {
    create: (session: SessionRecord) => ask('create', session),
    /** Finds a session as it is in the storage after the call: alone, or in a batch with others. */
    findById: async (id: string): Promise<SessionRecord | undefined> => {
      const session = findInBatch === undefined ? (await findByIds([id]))[0] : await findInBatch(id)
      return session?.id === id ? requireReadable(session) : undefined
    },
    /** Finds the session with this selector hash. */
    findBySelectorHash: async (hash: string): Promise<SessionRecord | undefined> =>
      requireReadable(await ask('findBySelectorHash', hash)),
    rotate: (rotation: Rotation) => ask('rotate', rotation, rotation.id),
    end: (end: { readonly id: string } & SessionEnd) => ask('end', end, end.id),
    /** Ends all sessions of a user that have not ended. Resolves to how many it ended. */
    endAllForUser: async (end: Omit<UserRef, 'issuer'> & SessionEnd): Promise<number> => {
      const ending = issuers.map((issuer) => ask('endAllForUser', { issuer, ...end }))
      // One failure must not keep the other sessions.
      await Promise.allSettled(ending)
      return (await Promise.all(ending)).reduce((total, count) => total + count, 0)
    },
    /**
     * Finds the sessions of a user that match a filter and can be read, in the order of
     * {@link SessionStorage.list}. Reports each matching session that cannot be read.
     */
    list: async (filter: Omit<SessionFilter, 'issuer'>): Promise<readonly SessionRecord[]> => {
      const lists = await Promise.all(issuers.map((issuer) => ask('list', { issuer, ...filter })))
      return lists
        .flat()
        .toSorted(byEndAndCreation)
        .slice(0, filter.limit)
        .flatMap((session) => {
          if (!('error' in session)) return session
          report(toStorageError(session.error, session.id))
          return []
        })
    },
    /**
     * Ends at most `limit` sessions. Resolves to how many it ended. A number below `limit` means
     * that none is left.
     */
    endCreatedBefore: async (created: Omit<CreatedBefore, 'issuer'>) => {
      let ended = 0
      for (const issuer of issuers) {
        if (ended === created.limit) break
        const next = { ...created, issuer, limit: created.limit - ended }
        ended += await ask('endCreatedBefore', next)
      }
      return ended
    },
    deleteExpired: (expired: { readonly before: EpochMs; readonly limit: number }) => ask('deleteExpired', expired),
  }
}

/** The sessions of one service. */
export type CheckedStorage = ReturnType<typeof createCheckedStorage>

/**
 * Compares two sessions by their places in a list. First come the sessions that have not ended, the
 * newest first, then the ended ones, the latest end first, then those that cannot be read.
 */
export const byEndAndCreation = (a: FoundSession, b: FoundSession): number =>
  toEndedAt(b) - toEndedAt(a) || toCreatedAt(b) - toCreatedAt(a)

// A session that has not ended sorts as one that ends last.
const toEndedAt = (session: FoundSession): number =>
  'error' in session ? -1 : (session.endedAt ?? Number.MAX_SAFE_INTEGER)

const toCreatedAt = (session: FoundSession): number => ('error' in session ? 0 : session.createdAt)

/** A method of the storage whose results the service checks. */
export type StorageMethod = keyof typeof contracts

/**
 * Checks a result at run time, because adapters are written in JavaScript too and a wrong result
 * would look like a missing session.
 *
 * @throws TypeError that names the method, the kind of value it resolved to, and the fix. The
 *   message never contains text of the result, because the text may be part of a session.
 */
export const checkResult = (method: StorageMethod, result: unknown): void => {
  const { expected, allows } = contracts[method]
  if (allows(result)) return
  throw new TypeError(
    `jwt-auth: storage.${method} resolved to ${describeValue(result)}; it must resolve to ${expected}. Correct the storage adapter, and test it with @jwt-auth/storage-conformance.`,
  )
}

const isCount = (result: unknown): boolean => Number.isSafeInteger(result) && Number(result) >= 0

const isFound = (result: unknown): boolean => {
  const found: Readonly<Record<string, unknown>> = Object(result)
  // A session that lost its thumbprint or its attributes must not become one without restrictions.
  const { verifierHash, dpopThumbprint, attributes } = found
  if (verifierHash !== undefined && dpopThumbprint !== undefined && attributes !== undefined) return true
  return typeof found['id'] === 'string' && Object.hasOwn(found, 'error')
}

const outcomes: readonly unknown[] = ['ended', 'already-ended', 'not-found']

const isEndOutcome = (result: unknown): boolean => outcomes.includes(getMember(result, 'outcome'))

const count = { expected: 'a number of sessions, 0 or more', allows: isCount }
const found = {
  expected: 'an array of session records, or of ids and errors of unreadable sessions',
  allows: (result: unknown) => Array.isArray(result) && result.every(isFound),
}

const contracts = {
  create: { expected: 'nothing', allows: () => true },
  findByIds: found,
  findBySelectorHash: {
    expected: 'a session record, the id and error of an unreadable session, or undefined',
    allows: (result: unknown) => result === undefined || isFound(result),
  },
  rotate: { expected: "'rotated' or 'stale'", allows: (result: unknown) => result === 'rotated' || result === 'stale' },
  end: { expected: "an object with the outcome 'ended', 'already-ended' or 'not-found'", allows: isEndOutcome },
  endAllForUser: count,
  list: found,
  endCreatedBefore: count,
  deleteExpired: count,
}

import type { CallOptions, EpochMs } from '../system.js'
import type { Limiter } from './limiter.js'
import type { StorageStatus } from './storage-status.js'
import type { UserId } from './user-directory.js'

/**
 * A verifier that a refresh replaced. A client that obtained this record could not use it as a
 * token.
 */
export interface RecentVerifier {
  /** The SHA-256 hash of the replaced verifier, in base64url. */
  readonly verifierHash: string
  /** The salt that leads from the replaced verifier to its successor, in base64url. */
  readonly salt: string
  /** When the verifier was replaced. */
  readonly replacedAt: EpochMs
}

/** Identifies a user. A user id is unique only within its issuer. */
export interface UserRef {
  /** The issuer whose users the id belongs to, 1 to 200 characters. */
  readonly issuer: string
  /** An integer or text, compared with its type: `1` and `'1'` are two users. */
  readonly userId: UserId
}

/** The user whose sessions {@link SessionStorage.list} finds, and which of them. */
export interface SessionFilter extends UserRef {
  /**
   * Only sessions that, at this instant, have neither ended nor expired.
   * @default all sessions, also ended and expired ones
   */
  readonly activeAt?: EpochMs | undefined
  /**
   * The most sessions to return, at least 1. The service passes at most {@link maxSessionsInList}.
   */
  readonly limit: number
}

/** The sessions that {@link SessionStorage.endCreatedBefore} ends, when and why. */
export interface CreatedBefore extends SessionEnd {
  /** The issuer of the sessions. */
  readonly issuer: string
  /** Only sessions that were created before this instant end. */
  readonly createdBefore: EpochMs
  /** The most sessions to end, at least 1. */
  readonly limit: number
}

/** One login on one device: the unit of storage. */
export interface SessionRecord {
  /** 22 characters of base64url, compared with their case. */
  readonly id: string
  /** The issuer of the service that opened the session, 1 to 200 characters. Never changes. */
  readonly issuer: string
  /** An integer or text, returned with the same type. Never changes. */
  readonly userId: UserId
  /**
   * The SHA-256 hash of the refresh token's selector, in base64url. Unique among all sessions.
   * Never changes.
   */
  readonly selectorHash: string
  /** The SHA-256 hash of the current verifier, in base64url. */
  readonly verifierHash: string
  /**
   * The verifiers that were replaced within the grace window, newest first, at most 32. A rotation
   * replaces the list. An end empties it.
   */
  readonly recentVerifiers: readonly RecentVerifier[]
  /** When the user logged in: when the session was opened, or before. */
  readonly createdAt: EpochMs
  /** When the current verifier was written: at the login or the last rotation. */
  readonly rotatedAt: EpochMs
  /** When the last login or refresh took place. Guarded requests do not change it. */
  readonly lastUsedAt: EpochMs
  /** When the session expires unless a refresh moves this instant. */
  readonly idleExpiresAt: EpochMs
  /** When the session expires in any case. */
  readonly absoluteExpiresAt: EpochMs
  /** When the session was ended. `null` if it was not. */
  readonly endedAt: EpochMs | null
  /**
   * Why the session was ended, at most 64 characters. `null` if and only if `endedAt` is `null`.
   */
  readonly endReason: string | null
  /**
   * The user's credential version when the session was opened, at most 255 characters. `null` if
   * the directory keeps none.
   */
  readonly credentialVersion: string | null
  /**
   * The SHA-256 thumbprint of the key that the client must prove to have at each refresh (RFC
   * 9449), 43 characters of base64url. `null` if the session is bound to no key. Never changes.
   */
  readonly dpopThumbprint: string | null
  /** The user agent of the login, at most 512 characters. `null` if it is unknown. */
  readonly userAgent: string | null
  /** The address of the login, at most 64 characters. `null` if it is unknown. */
  readonly ipAddress: string | null
  /**
   * The user agent of the last login or rotation, at most 512 characters. `null` if it is unknown.
   */
  readonly lastUserAgent: string | null
  /** The address of the last login or rotation, at most 64 characters. `null` if it is unknown. */
  readonly lastIpAddress: string | null
  /**
   * The application's own name for the session, at most 255 characters. `null` if there is none.
   */
  readonly label: string | null
  /**
   * The attributes of the session, a JSON object as text of at most 1,024 characters. `null` if
   * there are none. They may restrict what the session may do. Never changes.
   */
  readonly attributes: string | null
}

/** A stored session that cannot be read, for example because somebody edited its row. */
export interface UnreadableSession {
  /** The id of the session. */
  readonly id: string
  /**
   * Why the session cannot be read. Names the column or the field, and contains no stored value.
   */
  readonly error: unknown
}

/** A session as a lookup finds it. A session that cannot be read has the member `error`. */
export type FoundSession = SessionRecord | UnreadableSession

/** The next state of a session, and the verifier that it replaces. */
export interface Rotation {
  /** The id of the session. */
  readonly id: string
  /** The swap takes place only if the session's `verifierHash` still has this value. */
  readonly expectedVerifierHash: string
  /** The hash of the new verifier. */
  readonly verifierHash: string
  /** The new list of replaced verifiers. */
  readonly recentVerifiers: readonly RecentVerifier[]
  /**
   * When the rotation took place. May be earlier than the present `rotatedAt`, because the clocks
   * of instances differ.
   */
  readonly rotatedAt: EpochMs
  /** When the session was last used. Always equals `rotatedAt`. */
  readonly lastUsedAt: EpochMs
  /** The new idle expiry, which may be earlier than the present one. */
  readonly idleExpiresAt: EpochMs
  /** The user agent of the refresh. */
  readonly lastUserAgent: string | null
  /** The address of the refresh. */
  readonly lastIpAddress: string | null
}

/** When a session ends and why. */
export interface SessionEnd {
  /** When the session ends. */
  readonly endedAt: EpochMs
  /** Why the session ends, 1 to 64 characters. */
  readonly endReason: string
}

/** The result of a call that ends one session. */
export type EndOutcome =
  /** This call ended the session. */
  | { readonly outcome: 'ended' }
  /** The session was ended before, at this time and for this reason. */
  | { readonly outcome: 'already-ended'; readonly endedAt: EpochMs; readonly endReason: string }
  /** There is no such session. */
  | { readonly outcome: 'not-found' }

/** The most ids that the service passes to one call of {@link SessionStorage.findByIds}. */
export const maxIdsInBatch = 500

/** The most sessions that the service asks for in one call of {@link SessionStorage.list}. */
export const maxSessionsInList = 1_100

/**
 * The storage port: one record for each session. Every method except `findPage` and `status` is
 * required. Each method returns a promise, is atomic, and resolves to what happened.
 *
 * - One storage may hold the sessions of several issuers. Methods that take a user never reach a
 *   session of another issuer. Ids and selector hashes are unique among all issuers. A lookup by id
 *   or selector hash takes no issuer: the service checks the issuer of the sessions that it finds.
 * - Times are passed in as integer milliseconds. An adapter reads no clock.
 * - Reads are linearizable, and acknowledged writes are durable: no replica reads, no asynchronous
 *   failover.
 * - A failure rejects. It is never `undefined`, an empty list or `not-found`.
 * - Records are copied on the way in and out: a change to a record changes nothing stored.
 * - The first argument of a method is its input. The second is the caller's deadline: see
 *   {@link CallOptions}. A later version may add members to an input.
 *
 * docs/writing-an-adapter.md is the guide for authors of adapters.
 */
export interface SessionStorage {
  /**
   * Whether the sessions are only in the memory of this process. Calls to such a storage never
   * wait, so the service sets no deadline for them. @default false
   */
  readonly isInProcess?: boolean | undefined
  /**
   * Whether the service looks up sessions in batches. With `false`, each session is looked up by
   * its own call. Set `false` for a storage in the memory of this process, where a batch would only
   * delay the request. Set `false` if ids of one batch may be on different servers, such as the
   * nodes of a cluster: otherwise a node that is down fails the sessions of all nodes. A batch
   * serves several requests, and runs in the async context in which the service was created. Set
   * `false` if the storage needs the async context of each request. @default true
   */
  readonly batchLookups?: boolean | undefined
  /**
   * Counts failed attempts where the sessions are, so that all instances share the counts. It is
   * the default of the option `rateLimits.limiter`.
   * @default each process counts in its own memory
   */
  readonly limiter?: Limiter | undefined
  /**
   * Stores the whole session. Rejects, and stores nothing, if the id or the selector hash is taken.
   */
  create(session: SessionRecord, options?: CallOptions): Promise<void>
  /**
   * Finds the sessions with these ids, whether active, ended or expired. Resolves to them in any
   * order. Omits missing ids. For an id that is passed twice, one record is enough. Resolves to
   * `[]` for `[]`. The service passes at most {@link maxIdsInBatch} ids. Every guarded request
   * waits for this method.
   *
   * For a session that cannot be read, the result contains an {@link UnreadableSession}. It fails
   * only the requests for this session. If the result omitted it, the service would treat it as
   * revoked.
   */
  findByIds(ids: readonly string[], options?: CallOptions): Promise<readonly FoundSession[]>
  /**
   * Finds the session with this selector hash, whether active, ended or expired. Resolves to
   * `undefined` if there is none, and to an {@link UnreadableSession} if the session cannot be
   * read.
   */
  findBySelectorHash(selectorHash: string, options?: CallOptions): Promise<FoundSession | undefined>
  /**
   * Compare-and-swap: writes the rotation only if `verifierHash` still has the expected value and
   * the session has not ended. Resolves to `stale` otherwise, even if there is no such session. Of
   * concurrent callers with the same expected hash and another new hash, at most one gets
   * `rotated`.
   *
   * A rotation may contain the present value of every field. It is written too: when it resolves to
   * `rotated`, the session is as durable as after any other write. With it, the service confirms a
   * rotation whose writer may have received an error.
   */
  rotate(rotation: Rotation, options?: CallOptions): Promise<'rotated' | 'stale'>
  /**
   * Ends one session, even if it cannot be read: writes its end, and empties `recentVerifiers`. Of
   * concurrent callers, exactly one gets `ended`. The others get the time and reason of that
   * caller. Nothing undoes or overwrites an end.
   */
  end(end: { readonly id: string } & SessionEnd, options?: CallOptions): Promise<EndOutcome>
  /**
   * Ends all sessions of a user of one issuer that have not ended, including those that cannot be
   * read. Resolves to how many it ended. If a session cannot be ended, ends the others before it
   * rejects.
   */
  endAllForUser(end: UserRef & SessionEnd, options?: CallOptions): Promise<number>
  /**
   * Finds the sessions of a user of one issuer: those that are active at an instant, or all.
   * Resolves to at most `limit` of them. First come the sessions that have not ended, the newest
   * `createdAt` first. Then come the ended sessions, the latest `endedAt` first. If a session
   * cannot be read but may match the filter, the list contains an {@link UnreadableSession} for it,
   * in any position. Every login waits for the list of active sessions: its cost must not grow with
   * the number of ended sessions.
   */
  list(filter: SessionFilter, options?: CallOptions): Promise<readonly FoundSession[]>
  /**
   * Ends at most `limit` sessions of an issuer, including those that cannot be read. Selects the
   * sessions that were created before an instant, have not ended, and have not expired at
   * `endedAt`. Resolves to how many it ended. A number below `limit` means that none is left. If a
   * session cannot be ended, ends the others before it rejects. An operator calls this after a
   * backup was restored, so it may be slow, but its cost must not grow with the number of previous
   * calls.
   */
  endCreatedBefore(created: CreatedBefore, options?: CallOptions): Promise<number>
  /**
   * Deletes at most `limit` sessions that ended, or passed one of their expiries, at or before the
   * instant `before`. The deletion checks the end and the expiries again. Resolves to how many it
   * deleted. A number below `limit` means that none is left, except sessions that a concurrent call
   * is deleting.
   *
   * A storage may keep a session for a day after its idle expiry, so that an index over whole days
   * finds it: then a rotation changes no indexed value more than once a day.
   */
  deleteExpired(expired: { readonly before: EpochMs; readonly limit: number }, options?: CallOptions): Promise<number>
  /**
   * Finds all sessions of all issuers, page after page: active, ended and expired ones. A page
   * contains about `limit` sessions in any order, or none. `after` is the member `next` of the page
   * before, which is `undefined` in the last page. A session that exists from the first to the last
   * call is on a page, even if other calls rotate or end it meanwhile. It may be on several. Omit
   * this method if nobody moves sessions out of or into the storage: `npx @jwt-auth/cli sessions
   * copy` calls it, and the service does not.
   */
  findPage?(
    page: { readonly after?: string | undefined; readonly limit: number },
    options?: CallOptions,
  ): Promise<{ readonly sessions: readonly FoundSession[]; readonly next: string | undefined }>
  /**
   * Resolves to whether the backend is reachable and whether this code may use its schema. Never
   * rejects and writes nothing. The service calls this method before any other, and does not use an
   * incompatible schema. Omit this method if the schema never changes, as in a storage in memory.
   */
  status?(options?: CallOptions): Promise<StorageStatus>
}

/** A storage with a schema, which the storage creates and checks. */
export interface MigratableStorage extends SessionStorage {
  /** Counts failed attempts next to the sessions. You may count attempts of your own with it. */
  readonly limiter: Limiter
  /**
   * Creates the schema, or updates it to the version of the package. Call it at each start: it does
   * nothing when the schema is up to date. Several processes may call it concurrently, and
   * processes with an older version of the package keep working.
   *
   * @throws Error that names the versions and the fix, and changes nothing, when the schema is too
   * new for the package
   * @throws Error that names the fix, and changes nothing, when another process or transaction
   * holds a needed lock for more than 30 seconds
   *
   * @example
   * ```ts
   * await storage.migrate()
   * ```
   */
  migrate(): Promise<void>
  /**
   * Resolves to whether the backend is reachable, whether the package can use the schema, and
   * whether {@link migrate} must be called. Writes nothing. Never rejects: a failure is a status
   * with `isReachable: false`.
   *
   * @example
   * ```ts
   * const status = await storage.status({ signal: AbortSignal.timeout(1_000) })
   * res.sendStatus(status.isReady ? 200 : 503)
   * ```
   */
  status(options?: CallOptions): Promise<StorageStatus>
}

/** The names of the required methods of the port. A value with these methods is a storage. */
export const sessionStorageMethods = [
  'create',
  'findByIds',
  'findBySelectorHash',
  'rotate',
  'end',
  'endAllForUser',
  'list',
  'endCreatedBefore',
  'deleteExpired',
] as const satisfies readonly Exclude<
  keyof SessionStorage,
  'isInProcess' | 'batchLookups' | 'limiter' | 'findPage' | 'status'
>[]

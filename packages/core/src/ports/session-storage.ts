import type { EpochMs } from '../system.js'
import type { CallOptions } from './call-options.js'
import type { StorageStatus } from './storage-status.js'
import type { UserId } from './user-directory.js'

/** A refresh token's verifier that was replaced within the grace window. Holds nothing a client could present. */
export interface RecentVerifier {
  /** base64url SHA-256 of the replaced verifier. */
  readonly verifierHash: string
  /** base64url salt that leads from the replaced verifier to its successor. */
  readonly salt: string
  /** When the verifier was replaced. */
  readonly replacedAt: EpochMs
}

/** Names a user: a user id is unique within its issuer only. */
export interface UserKey {
  /** The issuer whose users the id belongs to, 1 to 200 characters. */
  readonly issuer: string
  /** An integer or text, compared with its type: `1` and `'1'` are two users. */
  readonly userId: UserId
}

/** Which part of a user's sessions {@link SessionStorage.listActive} returns. */
export interface ActiveList {
  /** The instant at which the sessions must be active. */
  readonly now: EpochMs
  /** The most sessions to return, at least 1. */
  readonly limit: number
}

/** Which sessions {@link SessionStorage.endCreatedBefore} ends. */
export interface CreatedBefore {
  /** The issuer of the sessions, 1 to 200 characters. */
  readonly issuer: string
  /** Only sessions created before this instant end. */
  readonly createdBefore: EpochMs
  /** The most sessions to end, at least 1. */
  readonly limit: number
}

/** One login on one device: the unit of storage. */
export interface SessionRecord {
  /** 22 characters of base64url; case matters. */
  readonly id: string
  /** The issuer of the service that opened the session, 1 to 200 characters. Never changes. */
  readonly issuer: string
  /** An integer or text, given back as the same type. Never changes. */
  readonly userId: UserId
  /** base64url SHA-256 of the refresh token's selector: unique among all sessions, and stays for the session. */
  readonly selectorHash: string
  /** base64url SHA-256 of the current verifier. */
  readonly verifierHash: string
  /** Newest first, at most eight. */
  readonly recentVerifiers: readonly RecentVerifier[]
  /** When the session was opened. */
  readonly createdAt: EpochMs
  /** When the current verifier was written: the login, or the last rotation. */
  readonly rotatedAt: EpochMs
  /** The last login or refresh; the guard writes nothing. */
  readonly lastUsedAt: EpochMs
  /** The session is over from this instant on, unless a refresh moves it. */
  readonly idleExpiresAt: EpochMs
  /** The session is over from this instant on, whatever happens. */
  readonly absoluteExpiresAt: EpochMs
  /** When the session was ended; `null` while it was not. */
  readonly endedAt: EpochMs | null
  /** Why it was ended, at most 64 characters; `null` exactly when `endedAt` is. */
  readonly endReason: string | null
  /** The user's credential version under which the session was opened, at most 255 characters. */
  readonly credentialVersion: string | null
  /** The user agent of the login, at most 512 characters. */
  readonly userAgent: string | null
  /** The address of the login, at most 64 characters. */
  readonly ipAddress: string | null
  /** The user agent of the last login or rotation, at most 512 characters. */
  readonly lastUserAgent: string | null
  /** The address of the last login or rotation, at most 64 characters. */
  readonly lastIpAddress: string | null
  /** The host's own name for the session, at most 255 characters. */
  readonly label: string | null
}

/** The next refresh state of a session, and the verifier it may replace. */
export interface Rotation {
  /** The session to change. */
  readonly sessionId: string
  /** The swap takes place only where this is still the session's `verifierHash`. */
  readonly expectedVerifierHash: string
  /** The new `verifierHash` of the session. */
  readonly verifierHash: string
  /** The new `recentVerifiers` of the session, newest first, at most eight. */
  readonly recentVerifiers: readonly RecentVerifier[]
  /** The new `rotatedAt` of the session. */
  readonly rotatedAt: EpochMs
  /** The new `lastUsedAt` of the session. */
  readonly lastUsedAt: EpochMs
  /** The new `idleExpiresAt` of the session. */
  readonly idleExpiresAt: EpochMs
  /** The new `lastUserAgent` of the session, at most 512 characters. */
  readonly lastUserAgent: string | null
  /** The new `lastIpAddress` of the session, at most 64 characters. */
  readonly lastIpAddress: string | null
}

/** When a session ends and why. */
export interface SessionEnd {
  /** When the session ends. */
  readonly endedAt: EpochMs
  /** Why the session ends, at most 64 characters. */
  readonly endReason: string
}

/** What became of a call to end one session. */
export type EndOutcome =
  | { readonly outcome: 'ended' }
  | { readonly outcome: 'already-ended'; readonly endedAt: EpochMs; readonly endReason: string }
  | { readonly outcome: 'not-found' }

/** The most ids that the service passes to one call of {@link SessionStorage.findByIds}. */
export const mostIdsInBatch = 500

/**
 * The storage port: one record for each session. Every method but `status` is required. Each is atomic and answers with what happened.
 *
 * - One storage may hold the sessions of several issuers. Methods that take a user never reach a session of another issuer.
 *   Ids and selector hashes are unique among all issuers; core checks the issuer of what it finds by them.
 * - Times are passed in as integer milliseconds; an adapter reads no clock.
 * - Reads are linearizable and acknowledged writes durable: no replica reads, no asynchronous failover.
 * - A failure rejects. It is never `undefined`, an empty list or `not-found`.
 * - Records go in and come out as copies: changing one changes nothing stored.
 * - Every method takes the caller's deadline last: see {@link CallOptions}.
 *
 * The guide for authors of adapters is docs/writing-an-adapter.md.
 */
export interface SessionStorage {
  /**
   * Whether this process alone holds the sessions, and they end with it. The service passes no signal to such a storage. For any other
   * storage it warns when attempts are counted in memory. @default false
   */
  readonly isInProcess?: boolean | undefined
  /**
   * Whether the service looks up each session with a call of its own instead of in batches. Set it for a storage in this process,
   * where a batch only adds a wait. Set it where ids of one batch may wait for different servers, such as the nodes of a cluster:
   * otherwise a node that is down delays the sessions of all others until the deadline. @default false
   */
  readonly needsNoBatching?: boolean | undefined
  /** Stores the session whole, or rejects (also when its id or its selector hash is taken). */
  create(session: SessionRecord, options?: CallOptions): Promise<void>
  /**
   * The sessions with these ids, live or not, in any order; missing ones are absent from the answer, and an id asked for
   * twice may be answered once. An empty list is answered with an empty list. The service asks for at most
   * {@link mostIdsInBatch} ids. Every guarded request waits for this call.
   *
   * Rejects when one of the sessions cannot be read; never omits it. After a rejection the service calls again with fewer ids, so that
   * an unreadable session fails only the requests that wait for it.
   */
  findByIds(ids: readonly string[], options?: CallOptions): Promise<readonly SessionRecord[]>
  /** The session with this selector hash, live or not; `undefined` when there is none. */
  findBySelectorHash(selectorHash: string, options?: CallOptions): Promise<SessionRecord | undefined>
  /**
   * Compare-and-swap: writes the rotation only where `verifierHash` is still the expected one and the session has not
   * ended. `stale` otherwise, and when there is no such session. Of any number of callers with one expected hash,
   * one at most hears `rotated`.
   */
  rotate(rotation: Rotation, options?: CallOptions): Promise<'rotated' | 'stale'>
  /**
   * Ends one session. Of any number of callers exactly one hears `ended`; the others hear the first time and reason. An end is for good: nothing undoes or overwrites it.
   */
  end(sessionId: string, ending: SessionEnd, options?: CallOptions): Promise<EndOutcome>
  /** Ends every session of a user of one issuer that has not ended. Resolves to how many it ended. */
  endAllForUser(user: UserKey, ending: SessionEnd, options?: CallOptions): Promise<number>
  /**
   * Finds the sessions of a user of one issuer that have not ended and are, at `now`, before both of their expiries. Resolves to
   * at most `limit` of them, the newest by `createdAt` first.
   */
  listActive(user: UserKey, list: ActiveList, options?: CallOptions): Promise<readonly SessionRecord[]>
  /**
   * Ends at most `limit` sessions of an issuer that were created before an instant, have not ended and are, at `endedAt`, before both
   * of their expiries. Resolves to how many it ended; fewer than `limit` means that none is left. An operator calls this after a
   * backup was restored, so it may be slow, but its cost must not grow with the calls before it.
   */
  endCreatedBefore(created: CreatedBefore, ending: SessionEnd, options?: CallOptions): Promise<number>
  /**
   * Empties `recentVerifiers` of at most `limit` sessions whose `rotatedAt` is at or before an instant; the write itself repeats the
   * condition. Resolves to how many lists it emptied. Fewer than `limit` means that none is left, except for lists that a concurrent
   * call is emptying. Ended sessions count too.
   */
  clearRecentVerifiers(rotatedBefore: EpochMs, limit: number, options?: CallOptions): Promise<number>
  /**
   * Deletes at most `limit` sessions that were over at `expiredBefore`: ended, idle-expired or absolutely expired at or
   * before that instant. The deletion itself repeats the condition. Resolves to how many it deleted. Fewer than `limit` means that
   * none is left, except for sessions that a concurrent call is deleting.
   */
  deleteExpired(expiredBefore: EpochMs, limit: number, options?: CallOptions): Promise<number>
  /**
   * Resolves to whether the backend is reachable and whether this code may use its schema; a failure is a status, and nothing is
   * written. The service asks before its first call and refuses an incompatible schema. Absent from a storage whose form never
   * changes, such as one in memory.
   */
  status?(options?: CallOptions): Promise<StorageStatus>
}

/** The names of the port's required methods, to check whether a value is a storage. */
export const sessionStorageMethods = [
  'create',
  'findByIds',
  'findBySelectorHash',
  'rotate',
  'end',
  'endAllForUser',
  'listActive',
  'endCreatedBefore',
  'clearRecentVerifiers',
  'deleteExpired',
] as const satisfies readonly Exclude<keyof SessionStorage, 'isInProcess' | 'needsNoBatching' | 'status'>[]

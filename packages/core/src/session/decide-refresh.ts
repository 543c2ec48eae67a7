import type { RecentVerifier, Rotation, SessionRecord } from '../ports/session-storage.js'
import type { EpochMs } from '../system.js'
import { deriveSuccessor, type RefreshToken, toHash } from './refresh-token.js'
import type { ClientInfo, SessionPolicy } from './session-record.js'

/** What a refresh token means to an active session. */
export type RefreshDecision =
  /** The token is current. It is replaced. */
  | { readonly kind: 'rotate' }
  /**
   * The token is current, and the list of replaced tokens is full of tokens that are still
   * accepted. The token stays current.
   */
  | { readonly kind: 'keep' }
  /**
   * The token was replaced within the grace window: a racing tab, or a retry after a lost response.
   * The current token can be derived from it.
   */
  | { readonly kind: 'repeat'; readonly current: RefreshToken }
  /**
   * The same, but with a key that the ring no longer has. The token is rejected, and the session
   * goes on.
   */
  | { readonly kind: 'former-key' }
  /** The token is no longer valid: somebody may have a copy. */
  | { readonly kind: 'replay' }

/** What the decision depends on, besides the session and the token. */
export interface RefreshConditions {
  readonly now: EpochMs
  readonly graceSeconds: number
  readonly serviceSecrets: readonly Buffer[]
}

/** Decides what happens to a token that has the selector of an active session. */
export const decideRefresh = (
  session: SessionRecord,
  presented: RefreshToken,
  { now, graceSeconds, serviceSecrets }: RefreshConditions,
): RefreshDecision => {
  const presentedHash = toHash(presented.verifier)
  if (presentedHash === session.verifierHash) {
    const isFull = findAccepted(session, now, graceSeconds).length >= maxRecentVerifiers
    return { kind: isFull ? 'keep' : 'rotate' }
  }
  const position = session.recentVerifiers.findIndex(({ verifierHash }) => verifierHash === presentedHash)
  const recent = session.recentVerifiers[position]
  if (recent === undefined || !isWithinGrace(recent, now, graceSeconds)) return { kind: 'replay' }
  const current = walkToCurrent(presented, session, { position, serviceSecrets })
  return current === undefined ? { kind: 'former-key' } : { kind: 'repeat', current }
}

// The distance counts in both directions, because the clocks of instances differ.
const isWithinGrace = ({ replacedAt }: RecentVerifier, now: EpochMs, graceSeconds: number): boolean =>
  graceSeconds > 0 && Math.abs(now - replacedAt) <= graceSeconds * 1000

// Verifiers are stored newest first. With the salt of an entry, the verifier of the entry before it
// is derived from this entry. The first entry gives the current verifier.
const walkToCurrent = (
  presented: RefreshToken,
  session: SessionRecord,
  { position, serviceSecrets }: { readonly position: number; readonly serviceSecrets: readonly Buffer[] },
): RefreshToken | undefined => {
  const entry = session.recentVerifiers[position]
  if (entry === undefined) return presented
  const salt = Buffer.from(entry.salt, 'base64url')
  const successorHash = session.recentVerifiers[position - 1]?.verifierHash ?? session.verifierHash
  // The key may have changed between two rotations.
  const successor = serviceSecrets
    .map((serviceSecret) => deriveSuccessor(presented, { salt, serviceSecret }))
    .find(({ verifier }) => toHash(verifier) === successorHash)
  return successor && walkToCurrent(successor, session, { position: position - 1, serviceSecrets })
}

/**
 * How many replaced verifiers a session keeps. A burst of refreshes replaces no more within one
 * grace window, so that no verifier within its window is ever forgotten.
 */
export const maxRecentVerifiers = 32

// The list starts with the newest entry. Omits only the entries older than the oldest verifier
// within the grace window. The current verifier is derived from this verifier step by step, through
// all newer entries, even through an entry that an instance with another clock wrote.
const findAccepted = ({ recentVerifiers }: SessionRecord, now: EpochMs, graceSeconds: number) =>
  recentVerifiers.slice(0, recentVerifiers.findLastIndex((recent) => isWithinGrace(recent, now, graceSeconds)) + 1)

/** Returns the swap that replaces a session's current verifier by its successor. */
export const toRotation = (
  session: SessionRecord,
  successor: { readonly token: RefreshToken; readonly salt: Buffer; readonly client: ClientInfo },
  { now, policy }: { readonly now: EpochMs; readonly policy: SessionPolicy },
): Rotation => {
  const replaced = {
    verifierHash: session.verifierHash,
    salt: successor.salt.toString('base64url'),
    replacedAt: now,
  }
  return {
    ...toConfirmation(session),
    verifierHash: toHash(successor.token.verifier),
    recentVerifiers: [replaced, ...findAccepted(session, now, policy.refreshGraceSeconds)],
    rotatedAt: now,
    lastUsedAt: now,
    idleExpiresAt: Math.min(now + policy.sessionIdleTimeoutSeconds * 1000, session.absoluteExpiresAt),
    lastUserAgent: successor.client.userAgent,
    lastIpAddress: successor.client.ipAddress,
  }
}

/** Returns the swap that replaces a session's current verifier by itself, and changes no field. */
export const toConfirmation = (session: SessionRecord): Rotation => ({
  id: session.id,
  expectedVerifierHash: session.verifierHash,
  verifierHash: session.verifierHash,
  recentVerifiers: session.recentVerifiers,
  rotatedAt: session.rotatedAt,
  lastUsedAt: session.lastUsedAt,
  idleExpiresAt: session.idleExpiresAt,
  lastUserAgent: session.lastUserAgent,
  lastIpAddress: session.lastIpAddress,
})

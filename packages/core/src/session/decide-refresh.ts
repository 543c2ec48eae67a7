import type { RecentVerifier, SessionRecord } from '../ports/session-storage.js'
import { hashOf, type RefreshToken } from '../refresh-token/refresh-token.js'
import { deriveSuccessor } from '../refresh-token/successor.js'
import type { EpochMilliseconds } from '../system.js'

/** What a refresh token means to a live session. */
export type RefreshDecision =
  /** It is the current one: replace it. */
  | { readonly kind: 'rotate' }
  /** It was replaced a moment ago (a racing tab, a lost answer): lead to the current one. */
  | { readonly kind: 'repeat'; readonly current: RefreshToken }
  /** It once was genuine and is no longer: somebody else may hold a copy. */
  | { readonly kind: 'replay' }

/** Decides over a live session's record and a presented token with the session's selector. */
export const decideRefresh = (
  session: SessionRecord,
  presented: RefreshToken,
  { now, graceSeconds }: { readonly now: EpochMilliseconds; readonly graceSeconds: number },
): RefreshDecision => {
  const presentedHash = hashOf(presented.verifier)
  if (presentedHash === session.verifierHash) return { kind: 'rotate' }
  const position = session.recentVerifiers.findIndex(({ verifierHash }) => verifierHash === presentedHash)
  const recent = session.recentVerifiers[position]
  if (recent === undefined || !isWithinGrace(recent, now, graceSeconds)) return { kind: 'replay' }
  return { kind: 'repeat', current: walkToCurrent(session, presented, position) }
}

/** Whether a replaced verifier is still good; the distance counts both ways, for clocks differ between instances. */
export const isWithinGrace = ({ replacedAt }: RecentVerifier, now: EpochMilliseconds, graceSeconds: number): boolean =>
  graceSeconds > 0 && Math.abs(now - replacedAt) <= graceSeconds * 1000

// The verifiers stand newest first: from the presented one's place, each salt towards the front leads one step on.
const walkToCurrent = (session: SessionRecord, presented: RefreshToken, position: number): RefreshToken => {
  const current = session.recentVerifiers
    .slice(0, position + 1)
    .reduceRight((token, { salt }) => deriveSuccessor(token, Buffer.from(salt, 'base64url')), presented)
  if (hashOf(current.verifier) === session.verifierHash) return current
  throw new Error(`jwt-auth: the stored salts of session ${session.id} do not lead to its current verifier.`)
}

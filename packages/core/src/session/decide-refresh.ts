import type { RecentVerifier, SessionRecord } from '../ports/session-storage.js'
import { type RefreshToken, toHash } from '../refresh-token/refresh-token.js'
import { deriveSuccessor } from '../refresh-token/successor.js'
import type { EpochMs } from '../system.js'

/** What a refresh token means to an active session. */
export type RefreshDecision =
  /** The token is current: replace it. */
  | { readonly kind: 'rotate' }
  /** The token was replaced within the grace window (a racing tab, a lost response): lead to the current one. */
  | { readonly kind: 'repeat'; readonly current: RefreshToken }
  /** The same, but under a key that the ring no longer holds: refuse the token, and the session goes on. */
  | { readonly kind: 'former-key' }
  /** The token was valid once and is no longer: somebody else may hold a copy. */
  | { readonly kind: 'replay' }

/** What the decision depends on, beside the session and the token. */
export interface RefreshConditions {
  readonly now: EpochMs
  readonly graceSeconds: number
  readonly serviceSecrets: readonly Buffer[]
}

/** Decides what becomes of a presented token that has the selector of an active session. */
export const decideRefresh = (
  session: SessionRecord,
  presented: RefreshToken,
  { now, graceSeconds, serviceSecrets }: RefreshConditions,
): RefreshDecision => {
  const presentedHash = toHash(presented.verifier)
  if (presentedHash === session.verifierHash) return { kind: 'rotate' }
  const position = session.recentVerifiers.findIndex(({ verifierHash }) => verifierHash === presentedHash)
  const recent = session.recentVerifiers[position]
  if (recent === undefined || !isWithinGrace(recent, now, graceSeconds)) return { kind: 'replay' }
  const current = walkToCurrent(presented, listSteps(session, position), serviceSecrets)
  return current === undefined ? { kind: 'former-key' } : { kind: 'repeat', current }
}

/** Whether a replaced verifier is within the window; the distance counts both ways, since clocks differ between instances. */
export const isWithinGrace = ({ replacedAt }: RecentVerifier, now: EpochMs, graceSeconds: number): boolean =>
  graceSeconds > 0 && Math.abs(now - replacedAt) <= graceSeconds * 1000

/** A replacement: the salt, and the hash of the verifier that it led to. */
interface Step {
  readonly salt: Buffer
  readonly successorHash: string
}

// The verifiers are stored newest first: each entry leads to the entry before it, and the first one to the current verifier.
const listSteps = ({ recentVerifiers, verifierHash }: SessionRecord, position: number): readonly Step[] =>
  recentVerifiers
    .slice(0, position + 1)
    .map(({ salt }, place) => ({
      salt: Buffer.from(salt, 'base64url'),
      successorHash: recentVerifiers[place - 1]?.verifierHash ?? verifierHash,
    }))
    .toReversed()

const walkToCurrent = (
  presented: RefreshToken,
  steps: readonly Step[],
  serviceSecrets: readonly Buffer[],
): RefreshToken | undefined => {
  const [step, ...rest] = steps
  if (step === undefined) return presented
  // The key may have changed between two rotations.
  const successor = serviceSecrets
    .map((serviceSecret) => deriveSuccessor(presented, { salt: step.salt, serviceSecret }))
    .find(({ verifier }) => toHash(verifier) === step.successorHash)
  return successor && walkToCurrent(successor, rest, serviceSecrets)
}

import { isAuthError } from '../errors/auth-error.js'
import type { HashingPlace } from '../ports/hashing-place.js'
import type { User } from '../ports/user-directory.js'
import { toUserKey } from './account-key.js'
import { createKnownPairs } from './known-pairs.js'
import type { LimitParts } from './limiter-maker.js'
import { toNetwork } from './network.js'
import type { RateLimitPolicy } from './rate-limit-policy.js'
import { createRefusalDelay, type RefusalDelayParts } from './refusal-delay.js'
import { giveBackAll, type Reservation, reserve } from './reservation.js'
import { createTurns } from './turns.js'
import { createUnknownPairs } from './unknown-pairs.js'

/** One password to check: whose, and from where. */
export interface PasswordAttempt {
  /** What failed attempts are counted under: `toAccountKey` of a name, or `toUserKey` of a signed-in user. */
  readonly account: string
  /** The user that was found. `undefined` if there is none. */
  readonly user: User | undefined
  /** The client's address. Unreadable addresses count as one network. */
  readonly address: string | undefined
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal | undefined
}

/** Checks the password of an attempt for a user. `undefined` is no user: the same work, and `false`. */
export type CheckPassword = (user: User | undefined, place: HashingPlace) => Promise<boolean>

/**
 * Checks a password within the limits and resolves to whether it is right. Throws `jwt_auth_rate_limited` when a limit is used up: with the
 * same `retryAfterSeconds` and after the same time, whether or not the user exists and whether or not the password was checked.
 */
export type LimitPasswordCheck = (attempt: PasswordAttempt, check: CheckPassword) => Promise<boolean>

/**
 * Creates the limits of logins (docs/decisions/0028).
 *
 * Every attempt is counted in the limits of unknown pairs, and the response to a wrong password is the one of these limits. Responses
 * therefore never depend on whether the pair is known. While these limits are used up, the password of a known pair is checked
 * nevertheless, within limits of its own: an attacker cannot lock a user out of the networks they log in from.
 */
export const createLoginLimits = (
  policy: RateLimitPolicy,
  parts: LimitParts & RefusalDelayParts,
): LimitPasswordCheck => {
  const { keys, now } = parts
  const toUnknownBuckets = createUnknownPairs(policy, parts)
  const known = createKnownPairs(policy, parts)
  const delay = createRefusalDelay(parts)
  const takeTurns = createTurns(mostWaitingAtPair)

  /** Checks the password, unless the limits of unknown pairs refused it and no other limit allows it. */
  const judge = async (
    { user, pair, network, signal, isMarked, success, asUnknown }: CountedAttempt,
    check: CheckPassword,
  ): Promise<boolean> => {
    const startedAt = now()
    const refuse = (error: Error): Promise<never> =>
      delay.refuse(error, { startedAt, signal, checkNobody: toNobody(check, network, signal) })

    const asKnown = isMarked ? await reserve(known.toFailureBuckets(pair, network), now) : undefined
    const isKnown = asKnown?.kind === 'reserved'
    if (asUnknown.kind === 'refused' && !isKnown) {
      await giveBackAll([success])
      return refuse(asUnknown.error)
    }
    const isRight = await check(user, { isKnown, network, signal }).catch(async (failure: unknown) => {
      if (isWrongPassword(failure)) return false
      // A failure of the directory or of the hashing queue is no guess. If it counted, an outage would lock users out.
      await giveBackAll([success, asUnknown, asKnown])
      // Without the limits' refusal, a full queue would tell a known pair from an unknown one.
      if (asUnknown.kind === 'refused' && isOverload(failure)) return refuse(asUnknown.error)
      throw failure
    })
    if (isRight) {
      await Promise.all([giveBackAll([asUnknown, asKnown]), known.mark(pair), success ?? known.countSuccess(pair)])
      return true
    }
    await giveBackAll([success])
    delay.record(now() - startedAt, asUnknown.kind)
    if (asUnknown.kind === 'refused') throw asUnknown.error
    return false
  }

  return async ({ account, user, address, signal }, check) => {
    const network = toNetwork(address)
    // A name that nobody has is paired under a key that no login marks.
    const pair = keys.unique(network, user === undefined ? account : toUserKey(user.id))
    const isMarked = await known.isMarked(pair)
    const success = isMarked ? await reserve([known.toSuccessBucket(pair, network)], now) : undefined
    if (success?.kind === 'refused') {
      const checkNobody = toNobody(check, network, signal)
      return delay.refuse(success.error, { startedAt: now(), signal, checkNobody })
    }
    const asUnknown = await reserve(toUnknownBuckets(account, network), now)
    const attempt = { user, pair, network, signal, isMarked, success, asUnknown }
    if (asUnknown.kind === 'reserved') return judge(attempt, check)
    // Concurrent checks would wait for each other in the hashing queue, and concurrent timers would not.
    const turn = takeTurns(pair, () => judge(attempt, check))
    if (turn !== undefined) return turn
    await giveBackAll([success])
    throw asUnknown.error
  }
}

/** An attempt that the limits have counted or refused. */
interface CountedAttempt extends Pick<PasswordAttempt, 'user' | 'signal'> {
  readonly pair: string
  readonly network: string
  readonly isMarked: boolean
  /** The point of a right password. `undefined` for a pair that no login has marked. */
  readonly success: Reservation | undefined
  readonly asUnknown: Reservation
}

const toNobody =
  (check: CheckPassword, network: string, signal: AbortSignal | undefined): (() => Promise<boolean>) =>
  () =>
    check(undefined, { isKnown: false, network, signal })

// More refused attempts at one pair are refused immediately, whether or not the pair is known.
const mostWaitingAtPair = 10

const isWrongPassword = (failure: unknown): boolean => isAuthError(failure) && failure.code === 'jwt_auth_failed'

// Only the hashing queue says when to try again.
const isOverload = (failure: unknown): boolean =>
  isAuthError(failure) && failure.code === 'jwt_auth_unavailable' && failure.retryAfterSeconds !== undefined

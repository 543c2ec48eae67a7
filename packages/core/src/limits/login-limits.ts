import { type AuthError, isAuthError } from '../errors/auth-error.js'
import { toNetwork } from '../network.js'
import type { HashingPlace, User } from '../ports/user-directory.js'
import type { LimitContext } from './limit-context.js'
import { toUserKey } from './limit-keys.js'
import { createLoginBuckets, type Pair } from './login-buckets.js'
import { giveBackAll, type Reservation, reserve } from './reservation.js'

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

/** Checks the password of an attempt for a user. For `undefined` it does the same work and resolves to `false`. */
type CheckPassword = (user: User | undefined, place: HashingPlace) => Promise<boolean>

/**
 * Checks a password within the limits and resolves to whether it is right.
 *
 * @throws AuthError `jwt_auth_rate_limited` when a limit is used up. It is thrown a second after the attempt, or later while checks
 * take long, whether or not the user exists and whether or not the password was checked
 */
export type LimitPasswordCheck = (attempt: PasswordAttempt, check: CheckPassword) => Promise<boolean>

/**
 * Creates the limits of logins (docs/design/rate-limits.md).
 *
 * Every attempt is counted in the limits of unknown pairs. These limits alone determine the response to a wrong password.
 * Responses therefore never depend on whether the pair is known. While these limits are used up, the password of a known pair is
 * checked nevertheless, within separate limits: an attacker cannot lock a user out of the networks they log in from. The 429 is
 * sent after its delay, whether or not the check has finished. A check waits for other attempts only in the hashing queue.
 */
export const createLoginLimits = (context: LimitContext): LimitPasswordCheck => {
  const { keys, now, isRefusedForNetwork } = context
  const buckets = createLoginBuckets(context)
  const refusals = createRefusalDelay(context)

  // Checks the password, unless the limits of unknown pairs refused it and no other limit allows it.
  const judge = async (
    { user, signal, asUnknown, ...pair }: CountedAttempt,
    check: CheckPassword,
  ): Promise<boolean> => {
    const asKnown = (await buckets.isKnown(pair)) ? await reserve(buckets.ofKnownPair(pair), context) : undefined
    const isKnown = asKnown?.kind === 'reserved'
    if (asUnknown.kind === 'refused' && !isKnown) return false
    const place = { isKnown, network: pair.network, signal, ...(isKnown && { user: pair.userKey }) }
    const isRight = await check(user, place).catch(async (failure: unknown) => {
      // A failure of the directory or of the hashing queue is no guess. If it counted, an outage would lock users out. But a
      // client can fill its network's share of the queue, or leave it, as often as it wants. If these attempts did not count for
      // their network, an attacker could test any number of names for known pairs.
      await giveBackAll([asKnown])
      if (asUnknown.kind === 'reserved') {
        const isOfClient = signal?.aborted === true || (isAuthError(failure) && isRefusedForNetwork(failure))
        await asUnknown.giveBack(({ limit }) => !(isOfClient && limit === 'network'))
      }
      // The error of a full queue would reveal that the pair is known.
      if (asUnknown.kind === 'refused' && isOverload(failure)) return false
      throw failure
    })
    if (!isRight) return false
    const success = await reserve(buckets.ofSuccess(pair), context)
    if (success.kind === 'refused') {
      // Nothing is given back: further right passwords count as failed attempts, so that they are soon refused without a check.
      if (asUnknown.kind === 'refused') return false
      throw success.error
    }
    await Promise.all([giveBackAll([asUnknown, asKnown]), buckets.markKnown(pair)])
    return true
  }

  return async ({ account, user, address, signal }, check) => {
    const network = toNetwork(address)
    // An unknown name gets a key that no login ever marks as known, so that the lookup takes the same time.
    const owner = user === undefined ? account : toUserKey(user.id)
    // The key contains the credential version. A network that became known under an earlier password, or for an earlier user with
    // this id, is therefore unknown.
    const credentials = JSON.stringify([owner, user?.credentialVersion])
    const pair = { pair: keys.unique(network, credentials), userKey: keys.unique(owner), network, user }
    const asUnknown = await reserve(buckets.ofAttempt(account, network), context)
    if (asUnknown.kind === 'refused') {
      return refusals.delay({ refusal: asUnknown.error, signal }, (whileDelayed) =>
        judge({ ...pair, signal: whileDelayed, asUnknown }, check),
      )
    }
    const startedAt = now()
    const isRight = await judge({ ...pair, signal, asUnknown }, check)
    refusals.observe(now() - startedAt)
    return isRight
  }
}

/** An attempt that the limits of unknown pairs have counted or refused. */
interface CountedAttempt extends Pick<PasswordAttempt, 'user' | 'signal'>, Pair {
  readonly asUnknown: Reservation
}

// Only the hashing queue sets the time to wait.
const isOverload = (failure: unknown): boolean =>
  isAuthError(failure) && failure.code === 'jwt_auth_unavailable' && failure.retryAfterSeconds !== undefined

/** An attempt that a limit refused. */
interface RefusedAttempt {
  readonly refusal: AuthError
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal | undefined
}

/** Delays the refusals of one service. */
interface RefusalDelay {
  /**
   * Records how long a password check took, in milliseconds. The delay is at least twice the mean, in whole seconds from one to
   * five.
   */
  readonly observe: (tookMs: number) => void
  /**
   * Runs the check of an attempt that a limit refused. Resolves as soon as the password is right. Otherwise rejects when the
   * delay has passed, with the refusal, or with the error of the check if the check has failed by then. The signal of the check
   * aborts then.
   */
  readonly delay: (attempt: RefusedAttempt, check: (signal: AbortSignal) => Promise<boolean>) => Promise<true>
}

const shortestSeconds = 1
const longestSeconds = 5

/** Creates the delay of refused attempts (docs/design/rate-limits.md). */
export const createRefusalDelay = ({
  startTimer,
  closing,
}: Pick<LimitContext, 'startTimer' | 'closing'>): RefusalDelay => {
  const waiting = new Set<() => void>()
  closing.addEventListener('abort', () => [...waiting].forEach((refuse) => void refuse()), { once: true })
  let meanMs: number | undefined
  // Until the first measurement, the delay is the longest one. A shorter delay could abort the check of a correct password, and
  // the owner of a known pair could then not log in.
  const toDelayMs = (): number => {
    const seconds = meanMs === undefined ? longestSeconds : Math.ceil((2 * meanMs) / 1_000)
    return Math.min(longestSeconds, Math.max(shortestSeconds, seconds)) * 1_000
  }

  return {
    observe: (tookMs) => {
      meanMs = (meanMs ?? tookMs) * 0.9 + tookMs * 0.1
    },
    delay: ({ refusal, signal }, check) =>
      new Promise((resolve, reject) => {
        const ended = new AbortController()
        const end = (settle: () => void): void => {
          stopTimer()
          waiting.delete(refuse)
          signal?.removeEventListener('abort', refuse)
          ended.abort()
          settle()
        }
        let rejection: unknown = refusal
        const refuse = (): void => end(() => reject(rejection))
        const stopTimer = startTimer(toDelayMs(), refuse)
        if (closing.aborted || signal?.aborted) return refuse()
        waiting.add(refuse)
        signal?.addEventListener('abort', refuse)
        check(ended.signal).then(
          (isRight) => {
            if (isRight) end(() => resolve(true))
          },
          (failure: unknown) => {
            rejection = failure
          },
        )
      }),
  }
}

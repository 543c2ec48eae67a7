import { type AuthError, isAuthError } from '../errors/auth-error.js'
import { toNetwork } from '../network.js'
import type { HashingPriority, User } from '../ports/user-directory.js'
import type { AttemptCounter, CountedAttempt } from './attempt-counter.js'
import type { Buckets } from './buckets.js'
import type { LimitEnvironment } from './limiter.js'

/** One password to check: whose, and from where. */
export interface PasswordAttempt {
  /**
   * What failed attempts are counted under: `toAccountKey` of a name, or `toAccountOfUser` of a
   * signed-in user.
   */
  readonly account: string
  /** The user that was found. `undefined` if there is none. */
  readonly user: User | undefined
  /** The client's address. Unreadable addresses count as one network. */
  readonly address: string | undefined
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal | undefined
}

/**
 * Checks the password of an attempt for a user. For `undefined` it does the same work and resolves
 * to `false`.
 */
type CheckPassword = (user: User | undefined, priority: HashingPriority) => Promise<boolean>

/**
 * Checks a password within the limits and resolves to whether it is right.
 *
 * @throws AuthError `jwt_auth_rate_limited` when a limit is used up. It is thrown a second after
 *   the attempt, or later while checks take long, whether or not the user exists and whether or not
 *   the password was checked
 */
export type LimitPasswordCheck = (attempt: PasswordAttempt, check: CheckPassword) => Promise<boolean>

// How long a network stays known to a user after a login: 90 days.
const knownNetworkMs = 90 * 24 * 60 * 60 * 1_000

/**
 * Creates the limits of logins (docs/design/rate-limits.md).
 *
 * Every attempt is counted in the limits for everybody. These limits alone determine the response
 * to a wrong password. Responses therefore never depend on whether the network is known. While
 * these limits are used up, a password from a known network is checked nevertheless, within limits
 * of its own: an attacker cannot lock a user out of the networks they log in from. The 429 is sent
 * after its delay, whether or not the check has finished.
 */
export const createLoginLimits = (
  counter: AttemptCounter,
  bucketsOf: Buckets['ofLogin'],
  environment: LimitEnvironment,
): LimitPasswordCheck => {
  const { now, monotonicMs } = environment
  const refusals = createRefusalDelay(environment)

  const checkCounted = async (attempt: CountedPassword, check: CheckPassword): Promise<boolean> => {
    const { refusal, isKnown, user, priority, signal, mark } = attempt
    if (refusal !== undefined && !isKnown) return false
    const isRight = await check(user, { ...priority, signal }).catch(async (failure: unknown) => {
      // This was no guess. But a client can fill its network's share of the hashing queue, or leave
      // the queue, as often as it wants. These attempts count for their network: otherwise an
      // attacker could test any number of names for known networks.
      const isOfClient = signal?.aborted === true || (isOverload(failure) && failure.refusal?.reason === 'network')
      await counter.refund(attempt, isOfClient ? { except: 'network' } : {})
      // The error of a full queue would reveal that the network is known.
      if (refusal !== undefined && isOverload(failure)) return false
      throw failure
    })
    if (isRight) await counter.refund(attempt, { mark: { key: mark, endsAt: now() + knownNetworkMs } })
    return isRight
  }

  return async ({ account, user, address, signal }, check) => {
    const network = toNetwork(address)
    const { buckets, mark, userKey } = bucketsOf({ account, user, network })
    const counted = await counter.count({ buckets, network, mark, signal })
    const priority = counted.isKnown ? { isKnown: true, network, user: userKey } : { isKnown: false, network }
    const attempt = { ...counted, user, priority, mark }
    if (counted.refusal !== undefined) {
      return refusals.delay({ refusal: counted.refusal, signal }, (whileDelayed) =>
        checkCounted({ ...attempt, signal: whileDelayed }, check),
      )
    }
    const startedAt = monotonicMs()
    const isRight = await checkCounted({ ...attempt, signal }, check)
    refusals.observe(monotonicMs() - startedAt)
    return isRight
  }
}

/** An attempt that was counted, or that a limit refused. */
interface CountedPassword extends CountedAttempt, Pick<PasswordAttempt, 'user' | 'signal'> {
  readonly priority: HashingPriority
  /** The mark of the known network. */
  readonly mark: string
}

const isOverload = (failure: unknown): failure is AuthError => isAuthError(failure) && failure.refusal !== undefined

/** An attempt that a limit refused. */
interface RefusedAttempt {
  readonly refusal: AuthError
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal | undefined
}

const minSeconds = 1
const maxSeconds = 5

/** Creates the delay of refused attempts (docs/design/rate-limits.md). */
export const createRefusalDelay = ({ startTimer, closing }: Pick<LimitEnvironment, 'startTimer' | 'closing'>) => {
  const waiting = new Set<() => void>()
  closing.addEventListener('abort', () => [...waiting].forEach((refuse) => void refuse()), { once: true })
  let meanMs: number | undefined
  // Until the first measurement, the delay is the longest one. A shorter delay could abort the
  // check of a correct password, and the owner of a known pair could then not log in.
  const toDelayMs = (): number => {
    const seconds = meanMs === undefined ? maxSeconds : Math.ceil((2 * meanMs) / 1_000)
    return Math.min(maxSeconds, Math.max(minSeconds, seconds)) * 1_000
  }

  return {
    /**
     * Records how long a password check took, in milliseconds. The delay is at least twice the
     * mean, in whole seconds from one to five.
     */
    observe: (tookMs: number): void => {
      meanMs = (meanMs ?? tookMs) * 0.9 + tookMs * 0.1
    },
    /**
     * Runs the check of an attempt that a limit refused. Resolves as soon as the password is right.
     * Otherwise rejects when the delay has passed, with the refusal, or with the error of the check
     * if the check has failed by then. The signal of the check aborts then.
     */
    delay: ({ refusal, signal }: RefusedAttempt, check: (signal: AbortSignal) => Promise<boolean>): Promise<true> =>
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

import { type AuthError, isAuthError } from '../errors/auth-error.js'
import { toNetwork } from '../network.js'
import type { HashingPriority, User } from '../ports/user-directory.js'
import { toAccountOfUser } from './account-key.js'
import type { CountAttempt, CountedAttempt, CounterEnvironment } from './attempt-counter.js'
import type { LoginBuckets, LoginSubject } from './buckets.js'
import type { LimitKeys } from './limit-keys.js'
import { createRefusalDelay, type RefusalEnvironment } from './refusal-delay.js'

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

/** What the limits of logins need from their service. */
export interface LoginEnvironment extends Pick<CounterEnvironment, 'now' | 'monotonicMs'>, RefusalEnvironment {
  readonly count: CountAttempt
  readonly keys: LimitKeys
  readonly bucketsOf: (subject: LoginSubject) => LoginBuckets
}

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
export const createLoginLimits = (environment: LoginEnvironment): LimitPasswordCheck => {
  const { count, keys, bucketsOf, now, monotonicMs } = environment
  const refusals = createRefusalDelay(environment)

  const checkCounted = async (attempt: CountedPassword, check: CheckPassword): Promise<boolean> => {
    const { refusal, isKnown, refund, user, priority, signal, mark } = attempt
    if (refusal !== undefined && !isKnown) return false
    const isRight = await check(user, { ...priority, signal }).catch(async (failure: unknown) => {
      // This was no guess. But a client can fill its network's share of the hashing queue, or leave
      // the queue, as often as it wants. These attempts count for their network: otherwise an
      // attacker could test any number of names for known networks.
      const isOfClient = signal?.aborted === true || (isOverload(failure) && failure.refusal?.reason === 'network')
      await refund(isOfClient ? { except: 'network' } : {})
      // The error of a full queue would reveal that the network is known.
      if (refusal !== undefined && isOverload(failure)) return false
      throw failure
    })
    if (isRight) await refund({ mark: { key: mark, endsAt: now() + knownNetworkMs } })
    return isRight
  }

  return async ({ account, user, address, signal }, check) => {
    const network = toNetwork(address)
    // An unknown name gets a mark that no login sets, so that the lookup takes the same time.
    const owner = user === undefined ? account : toAccountOfUser(user.id)
    // The mark contains the credential version. A network that became known under an earlier
    // password, or for an earlier user with this id, is therefore unknown.
    const mark = `jwt_auth_known:${keys.exactKey(network, JSON.stringify([owner, user?.credentialVersion]))}`
    const counted = await count({ ...bucketsOf({ account, owner, network }), mark, signal })
    const priority = counted.isKnown
      ? { isKnown: true, network, user: keys.exactKey(owner) }
      : { isKnown: false, network }
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

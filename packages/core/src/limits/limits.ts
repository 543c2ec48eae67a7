import type { AuthError } from '../errors/auth-error.js'
import { toNetwork } from '../network.js'
import { type AttemptCounter, createAttemptCounter } from './attempt-counter.js'
import { createBuckets } from './buckets.js'
import { createFallbackLimiter, createMemoryLimiter, type LimitEnvironment } from './limiter.js'
import { createLoginLimits, type LimitPasswordCheck } from './login-limits.js'
import { type NamedLimit, type RateLimitPolicy, readRequestLimit } from './rate-limits.js'

/**
 * The limits of a service. The guard has none: nothing can be guessed there, and every request goes
 * through it.
 */
export interface Limits {
  /** Limits logins and `requirePassword`. */
  readonly limitPasswordCheck: LimitPasswordCheck
  /**
   * Counts the failure of an operation that received a token, if it refused the token. Resolves to
   * the error to throw: `jwt_auth_rate_limited` when the limit is used up, otherwise the failure
   * itself.
   */
  readonly countRefusal: (failure: AuthError, route: TokenRoute, address: string | undefined) => Promise<AuthError>
  /**
   * Counts an attempt that the application limits.
   *
   * @throws AuthError `jwt_auth_rate_limited` when the limit is used up; TypeError for a wrong name
   *   or limit, also without limits
   */
  readonly countRequest: (given: NamedLimit, address: string | undefined) => Promise<void>
}

/** The routes that receive a token. */
export type TokenRoute = 'refresh' | 'validate' | 'revoke' | 'me'

// The windows of tokens are short, and nobody can guess a token.
const maxTokenCounts = 30_000

const noLimits: Limits = {
  limitPasswordCheck: ({ user, address, signal }, check) =>
    check(user, { isKnown: false, network: toNetwork(address), signal }),
  countRefusal: async (failure) => failure,
  countRequest: async (given) => void readRequestLimit(given),
}

/**
 * Creates the limits of a service. A policy of `undefined` limits nothing.
 *
 * @param keySecret The secret of the keys under which attempts are counted.
 */
export const createLimits = (
  policy: RateLimitPolicy | undefined,
  keySecret: Buffer,
  { now, ...others }: LimitEnvironment,
): Limits => {
  if (policy === undefined) return noLimits
  // Only a store keeps instants of windows and marks.
  const environment = { ...others, now: policy.limiter === undefined ? others.monotonicMs : now }
  const { ofLogin, ofTokens, ofRequest } = createBuckets(policy, keySecret)
  const createCounter = (maxCallsInFlight: number, maxCounts?: number): AttemptCounter => {
    const { limiter } = policy
    const memory = createMemoryLimiter(maxCounts)
    const counting = limiter === undefined ? memory : createFallbackLimiter(limiter, memory, environment)
    return createAttemptCounter({ ...environment, limiter: counting, maxCallsInFlight })
  }
  // Refused tokens cost nothing to send. Their counts must not displace those of logins from the
  // memory, and must not wait before them. Most connections of a pool remain for other calls.
  const [counter, tokenCounter] = [createCounter(4), createCounter(1, maxTokenCounts)]
  return {
    limitPasswordCheck: createLoginLimits(counter, ofLogin, environment),
    // The token is checked first, so that a valid token is never refused because of other requests
    // from its network: a neighbour cannot prevent a logout. Tokens cannot be guessed, and checking
    // one takes microseconds.
    countRefusal: async (failure, route, address) => {
      if (!isRefusedToken(failure)) return failure
      const network = toNetwork(address)
      const { refusal } = await tokenCounter.count({ buckets: [ofTokens(route, network)], network })
      return refusal ?? failure
    },
    countRequest: async (given, address) => {
      const network = toNetwork(address)
      const { refusal } = await counter.count({ buckets: [ofRequest(readRequestLimit(given), network)], network })
      if (refusal !== undefined) throw refusal
    },
  }
}

// Proofs of another key and revocations of a revoked token count, because each of them queries
// storage.
const isRefusedToken = (failure: AuthError): boolean =>
  failure.code === 'jwt_auth_invalid_token' ||
  failure.code === 'jwt_auth_invalid_dpop_proof' ||
  failure.code === 'jwt_auth_invalid_refresh_token' ||
  failure.code === 'jwt_auth_token_already_revoked' ||
  failure.code === 'jwt_auth_token_not_found'

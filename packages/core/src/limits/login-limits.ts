import { isAuthError } from '../errors/auth-error.js'
import type { HashingPlace } from '../ports/hashing-place.js'
import { canonicalUsername } from '../usernames/canonical-username.js'
import { toAccountKey } from './account-key.js'
import type { Limiter } from './limiter.js'
import type { LimitParts } from './limiter-maker.js'
import { toNetwork } from './network.js'
import type { RateLimitPolicy } from './rate-limit-policy.js'
import { reserve } from './reservation.js'

/** Who tries to log in, and from where. */
interface LoginAttempt {
  readonly username: string
  /** The client's address; those that can't be read count as one network. */
  readonly address: string | undefined
}

/**
 * Makes a login within the limits. Throws `jwt_auth_rate_limited` instead, before any password is looked at, and alike for
 * accounts that are there and accounts that are not.
 */
export type LimitLogin = <T>(attempt: LoginAttempt, logIn: (from: LoginNetwork) => Promise<T>) => Promise<T>

/** The network of an attempt, and whether the user has logged in from it before. */
export type LoginNetwork = Pick<HashingPlace, 'isKnown' | 'network'>

/**
 * The limits of logins. A network that logged in to an account before is judged by its own failed attempts at that account
 * alone; any other one also by those of all strangers at the account, and by its own at all accounts. So a botnet has no
 * more than what strangers have, and nobody is locked out who comes from where they came before (NIST SP 800-63B, section
 * 5.2.2; docs/decisions/0028).
 */
export const createLoginLimits = (
  policy: RateLimitPolicy,
  { makeLimiter, keys, now, listenFor }: LimitParts,
): LimitLogin => {
  const ofStranger = makeLimiter('login_stranger', policy.accountAndNetwork)
  const ofKnown = makeLimiter('login_known', policy.accountAndNetwork)
  const ofAccount = makeLimiter('login_account', policy.account)
  const ofNetwork = makeLimiter('login_network', policy.network)
  const knownPairs = makeLimiter('login_known_pair', { points: 1, durationSeconds: policy.knownNetworkSeconds })

  const toBuckets = (account: string, { network, isKnown }: LoginNetwork, pair: string) => {
    const onPairRefused = listenFor({ limit: 'accountAndNetwork', network })
    if (isKnown) return [{ limiter: ofKnown, key: pair, onRefused: onPairRefused }]
    return [
      { limiter: ofStranger, key: keys.fold(network, account), onRefused: onPairRefused },
      { limiter: ofNetwork, key: keys.fold(network), onRefused: listenFor({ limit: 'network', network }) },
      { limiter: ofAccount, key: keys.fold(account), onRefused: listenFor({ limit: 'account', network }) },
    ]
  }

  return async ({ username, address }, logIn) => {
    const account = toAccountKey(username)
    const network = toNetwork(address)
    // The name itself, not what it is counted under: `jes`, who logs in, must not become known at `jess`.
    const pair = keys.unique(network, canonicalUsername(username) ?? username)
    const from = { network, isKnown: await isMarked(knownPairs, pair) }
    const { giveBack } = await reserve(toBuckets(account, from, pair), now)
    const result = await logIn(from).catch(async (failure: unknown) => {
      // An outage is no guess: counted, it would lock out everybody who tried in vain.
      if (!isWrongPassword(failure)) await giveBack()
      throw failure
    })
    await Promise.all([giveBack(), knownPairs.set(pair, 1, policy.knownNetworkSeconds)])
    return result
  }
}

const isMarked = async (knownPairs: Limiter, pair: string): Promise<boolean> => (await knownPairs.get(pair)) !== null

const isWrongPassword = (failure: unknown): boolean => isAuthError(failure) && failure.code === 'jwt_auth_failed'

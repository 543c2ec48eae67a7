import { multiplyLimit } from './limiter.js'
import type { LimitParts } from './limiter-maker.js'
import type { RateLimitPolicy } from './rate-limits.js'
import type { Bucket } from './reservation.js'

/**
 * The known pairs, which are users and networks from which the user has logged in before, and their limits. Only a login makes their keys,
 * and no other user or network shares one.
 */
export interface KnownPairs {
  readonly isMarked: (pair: string) => Promise<boolean>
  /** Makes a pair known from now on. */
  readonly mark: (pair: string) => Promise<unknown>
  /** The limits of right passwords: of the pair, and of the user on all networks. */
  readonly toSuccessBuckets: (pair: KnownPair) => readonly Bucket[]
  /** The limits of wrong passwords. */
  readonly toFailureBuckets: (pair: KnownPair) => readonly Bucket[]
}

/** A user and a network. */
export interface KnownPair {
  /** The unique key of both. */
  readonly pair: string
  /** The unique key of the user. */
  readonly userKey: string
  readonly network: string
}

// Each success makes a network known for 90 days, and an IPv6 /48 holds 65,536 networks.
const allNetworksFactor = 10

/** Creates the limits of known pairs. */
export const createKnownPairs = (policy: RateLimitPolicy, { makeLimiter, keys, listenFor }: LimitParts): KnownPairs => {
  const marks = makeLimiter('login_known_pair', { points: 1, durationSeconds: policy.knownNetworkSeconds })
  const successes = makeLimiter('login_success', policy.successfulLogins)
  const successesOfUser = makeLimiter('login_success_user', multiplyLimit(policy.successfulLogins, allNetworksFactor))
  const ofPair = makeLimiter('login_known', policy.accountAndNetwork)
  const ofNetwork = makeLimiter('login_known_network', policy.knownNetwork)
  return {
    isMarked: async (pair) => (await marks.get(pair)) !== null,
    mark: (pair) => marks.set(pair, 1, policy.knownNetworkSeconds),
    toSuccessBuckets: ({ pair, userKey, network }) => {
      const onRefused = listenFor({ limit: 'successfulLogins', network })
      return [
        { limiter: successes, key: pair, onRefused },
        { limiter: successesOfUser, key: userKey, onRefused },
      ]
    },
    toFailureBuckets: ({ pair, network }) => [
      { limiter: ofPair, key: pair, onRefused: listenFor({ limit: 'accountAndNetwork', network }) },
      { limiter: ofNetwork, key: keys.unique(network), onRefused: listenFor({ limit: 'knownNetwork', network }) },
    ],
  }
}

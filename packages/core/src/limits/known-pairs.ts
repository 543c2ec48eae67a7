import type { LimitParts } from './limiter-maker.js'
import type { RateLimitPolicy } from './rate-limit-policy.js'
import type { Bucket } from './reservation.js'

/**
 * The known pairs, which are users and networks from which the user has logged in before, and their limits. Only a login makes their keys,
 * and no other user or network shares one.
 */
export interface KnownPairs {
  readonly isMarked: (pair: string) => Promise<boolean>
  /** Makes a pair known from now on. */
  readonly mark: (pair: string) => Promise<unknown>
  /** Counts the right password that makes a pair known. Those of a known pair are reserved before the check. */
  readonly countSuccess: (pair: string) => Promise<unknown>
  /** The limit of right passwords. */
  readonly toSuccessBucket: (pair: string, network: string) => Bucket
  /** The limits of wrong passwords. */
  readonly toFailureBuckets: (pair: string, network: string) => readonly Bucket[]
}

/** Creates the limits of known pairs. */
export const createKnownPairs = (policy: RateLimitPolicy, { makeLimiter, keys, listenFor }: LimitParts): KnownPairs => {
  const marks = makeLimiter('login_known_pair', { points: 1, durationSeconds: policy.knownNetworkSeconds })
  const successes = makeLimiter('login_success', policy.successfulLogins)
  const ofPair = makeLimiter('login_known', policy.accountAndNetwork)
  const ofNetwork = makeLimiter('login_known_network', policy.knownNetwork)
  return {
    isMarked: async (pair) => (await marks.get(pair)) !== null,
    mark: (pair) => marks.set(pair, 1, policy.knownNetworkSeconds),
    countSuccess: (pair) => successes.penalty(pair),
    toSuccessBucket: (pair, network) => ({
      limiter: successes,
      key: pair,
      onRefused: listenFor({ limit: 'successfulLogins', network }),
    }),
    toFailureBuckets: (pair, network) => [
      { limiter: ofPair, key: pair, onRefused: listenFor({ limit: 'accountAndNetwork', network }) },
      { limiter: ofNetwork, key: keys.unique(network), onRefused: listenFor({ limit: 'knownNetwork', network }) },
    ],
  }
}

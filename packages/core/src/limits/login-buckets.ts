import { toAggregates } from '../network.js'
import type { Bucket, LimitContext } from './limit-context.js'
import type { Limit } from './limiter.js'

/** A user and a network from which the user may have logged in before. */
export interface Pair {
  /** The unique key of both. */
  readonly pair: string
  /** The unique key of the user. */
  readonly userKey: string
  /** The network of the attempt. */
  readonly network: string
}

/**
 * The limits of logins. A known pair is a user and a network from which the user has logged in before. Only a login makes the
 * keys of known pairs, and no other user or network shares one. The keys of other attempts are folded, because requests without a
 * credential make them.
 */
interface LoginBuckets {
  /** Returns the limits of every attempt, in the order in which they refuse. */
  readonly ofAttempt: (account: string, network: string) => readonly Bucket[]
  /** Returns the limits of wrong passwords of a known pair. */
  readonly ofKnownPair: (pair: Pair) => readonly Bucket[]
  /** Returns the limits of right passwords: of the pair, and of the user on all networks. */
  readonly ofSuccess: (pair: Pair) => readonly Bucket[]
  readonly isKnown: (pair: Pair) => Promise<boolean>
  /** Makes a pair known from now on. */
  readonly markKnown: (pair: Pair) => Promise<unknown>
}

// A provider gives a customer a /56 or a /48. These contain 256 or 65,536 networks, so that the limits of one network would not
// limit them.
const of56Factor = 3
const of48Factor = 10
const accountShareOf48 = 1 / 2

// Each success makes a network known for 90 days, and an IPv6 /48 contains 65,536 networks.
const allNetworksFactor = 10

/** Creates the limits of logins. */
export const createLoginBuckets = ({ policy, createLimiter, keys }: LimitContext): LoginBuckets => {
  const ofPair = createLimiter('login_pair', policy.accountAndNetwork)
  const ofNetwork = createLimiter('login_network', policy.network)
  const ofAccount = createLimiter('login_account', policy.account)
  const of56 = createLimiter('login_network_56', multiply(policy.network, of56Factor))
  const of48 = createLimiter('login_network_48', multiply(policy.network, of48Factor))
  const ofAccountAnd48 = createLimiter('login_pair_48', multiply(policy.account, accountShareOf48))
  const marks = createLimiter('login_known_pair', { points: 1, durationSeconds: policy.knownNetworkSeconds })
  const successes = createLimiter('login_success', policy.successfulLogins)
  const successesOfUser = createLimiter('login_success_user', multiply(policy.successfulLogins, allNetworksFactor))
  const ofKnown = createLimiter('login_known', policy.accountAndNetwork)
  const ofKnownNetwork = createLimiter('login_known_network', policy.knownNetwork)

  return {
    ofAttempt: (account, network) => {
      const buckets: readonly Bucket[] = [
        { limiter: ofPair, key: keys.fold(network, account), limit: 'accountAndNetwork', network },
        { limiter: ofNetwork, key: keys.fold(network), limit: 'network', network },
        { limiter: ofAccount, key: keys.fold(account), limit: 'account', network },
      ]
      const wider = toAggregates(network)
      if (wider === undefined) return buckets
      return [
        ...buckets,
        { limiter: of56, key: keys.fold(wider.of56), limit: 'network', network: wider.of56 },
        { limiter: of48, key: keys.fold(wider.of48), limit: 'network', network: wider.of48 },
        {
          limiter: ofAccountAnd48,
          key: keys.fold(wider.of48, account),
          limit: 'accountAndNetwork',
          network: wider.of48,
        },
      ]
    },
    ofKnownPair: ({ pair, network }) => [
      { limiter: ofKnown, key: pair, limit: 'accountAndNetwork', network },
      { limiter: ofKnownNetwork, key: keys.unique(network), limit: 'knownNetwork', network },
    ],
    ofSuccess: ({ pair, userKey, network }) => [
      { limiter: successes, key: pair, limit: 'successfulLogins', network },
      { limiter: successesOfUser, key: userKey, limit: 'successfulLogins', network },
    ],
    isKnown: async ({ pair }) => (await marks.get(pair)) !== null,
    markKnown: ({ pair }) => marks.set(pair, 1, policy.knownNetworkSeconds),
  }
}

// Rounded down, and at least one.
const multiply = ({ points, durationSeconds }: Limit, factor: number): Limit => ({
  points: Math.max(1, Math.floor(points * factor)),
  durationSeconds,
})

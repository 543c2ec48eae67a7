import { toAggregates } from '../network.js'
import { multiplyLimit } from './limiter.js'
import type { LimitParts } from './limiter-maker.js'
import type { RateLimitPolicy } from './rate-limits.js'
import type { Bucket } from './reservation.js'

/** Returns the limits of one attempt at an account from a network that is not known to it, in the order in which they refuse. */
export type UnknownPairs = (account: string, network: string) => readonly Bucket[]

// A provider gives a customer a /56 or a /48. It holds 256 or 65,536 networks, so that the limits of one network would not limit it.
const of56Factor = 3
const of48Factor = 10
const accountShareOf48 = 1 / 2

/** Creates the limits of unknown pairs. Their keys are folded, because requests without a credential make them. */
export const createUnknownPairs = (
  policy: RateLimitPolicy,
  { makeLimiter, keys, listenFor }: LimitParts,
): UnknownPairs => {
  const ofPair = makeLimiter('login_pair', policy.accountAndNetwork)
  const ofNetwork = makeLimiter('login_network', policy.network)
  const ofAccount = makeLimiter('login_account', policy.account)
  const of56 = makeLimiter('login_network_56', multiplyLimit(policy.network, of56Factor))
  const of48 = makeLimiter('login_network_48', multiplyLimit(policy.network, of48Factor))
  const ofAccountAnd48 = makeLimiter('login_pair_48', multiplyLimit(policy.account, accountShareOf48))

  const toPairBucket = (limiter: typeof ofPair, network: string, account: string): Bucket => ({
    limiter,
    key: keys.fold(network, account),
    onRefused: listenFor({ limit: 'accountAndNetwork', network }),
  })

  const toNetworkBucket = (limiter: typeof ofNetwork, network: string): Bucket => ({
    limiter,
    key: keys.fold(network),
    isOfNetwork: true,
    onRefused: listenFor({ limit: 'network', network }),
  })

  return (account, network) => {
    const buckets = [
      toPairBucket(ofPair, network, account),
      toNetworkBucket(ofNetwork, network),
      { limiter: ofAccount, key: keys.fold(account), onRefused: listenFor({ limit: 'account', network }) },
    ]
    const wider = toAggregates(network)
    if (wider === undefined) return buckets
    return [
      ...buckets,
      toNetworkBucket(of56, wider.of56),
      toNetworkBucket(of48, wider.of48),
      toPairBucket(ofAccountAnd48, wider.of48, account),
    ]
  }
}

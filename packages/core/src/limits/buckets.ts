import { type Aggregates, toAggregates } from '../network.js'
import type { AttemptLimits, Bucket } from './attempt-counter.js'
import type { LimitKeys } from './limit-keys.js'
import type { RateLimitPolicy } from './rate-limits.js'

/** What an attempt at a login is counted under. */
export interface LoginSubject {
  /** The account of the typed name, or of the signed-in user. */
  readonly account: string
  /** The account of the user who was found. The same as `account` if no user was found. */
  readonly owner: string
  /** The network of the client. */
  readonly network: string
}

/** The limits of an attempt at a login. */
export type LoginBuckets = Required<Pick<AttemptLimits, 'forAll' | 'forKnown'>>

/** What a limit applies to. */
interface Scope {
  /** The network, for events. */
  readonly network: string
  /** Multiplies the points of the limit. @default 1 */
  readonly factor?: number
  /** What is counted together. @default the network */
  readonly parts?: readonly string[]
}

// A provider gives a customer a /56 or a /48. These contain 256 or 65,536 networks, so that the
// limits of one network would not limit them.
const of56Factor = 3
const of48Factor = 10
const accountShareOf48 = 1 / 2

// More than an unknown network has, so that guesses at other accounts never use it up.
const knownNetworkFactor = 3

/** Creates the limits of a service. The reasons are in docs/design/rate-limits.md. */
export const createBuckets = (policy: RateLimitPolicy, { sharedKey }: LimitKeys) => {
  /** Limits attempts by these parts together. `name` keeps the keys of different limits apart. */
  const limitBy = (
    limit: Bucket['limit'],
    name: string,
    { network, factor = 1, parts = [network] }: Scope,
  ): Bucket => ({
    limit,
    network,
    // A template would keep its parts too, which take more memory than the count.
    key: [`jwt_auth_${name}`, sharedKey(...parts)].join(':'),
    points: Math.max(1, Math.floor(policy[limit].points * factor)),
    windowMs: policy[limit].durationSeconds * 1_000,
  })

  const ofAggregates = ({ of56, of48 }: Aggregates, account: string): readonly Bucket[] => [
    limitBy('network', 'login_56', { network: of56, factor: of56Factor }),
    limitBy('network', 'login_48', { network: of48, factor: of48Factor }),
    limitBy('account', 'login_pair_48', { network: of48, factor: accountShareOf48, parts: [of48, account] }),
  ]

  return {
    /** Returns the limits of a login. */
    ofLogin: ({ account, owner, network }: LoginSubject): LoginBuckets => {
      const wider = toAggregates(network)
      return {
        forAll: [
          limitBy('accountAndNetwork', 'login_pair', { network, parts: [network, account] }),
          limitBy('network', 'login_network', { network }),
          limitBy('account', 'login_account', { network, parts: [account] }),
          ...(wider === undefined ? [] : ofAggregates(wider, account)),
        ],
        forKnown: [
          limitBy('accountAndNetwork', 'login_known_pair', { network, parts: [network, owner] }),
          limitBy('network', 'login_known_network', { network, factor: knownNetworkFactor }),
        ],
      }
    },
    /** Returns the limit of refused tokens at a route. */
    ofTokens: (route: string, network: string): Bucket =>
      limitBy('tokens', 'tokens', { network, parts: [network, route] }),
  }
}

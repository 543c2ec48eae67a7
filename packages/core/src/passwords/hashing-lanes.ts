import { toAggregates } from '../network.js'
import type { HashingPlace } from '../ports/user-directory.js'
import { createFairTurns, type TurnPath, turnsInARow } from './fair-turns.js'
import { createKnownTurns, type KnownNames, type Surplus } from './known-turns.js'

/** The checks that wait in a hashing queue. */
export interface HashingLanes<T extends object> {
  /** Adds a check. The returned function removes the check, and does nothing once the check was taken. */
  readonly add: (place: HashingPlace | undefined, check: T) => () => void
  /** Takes the check whose turn has come. Returns `undefined` when none waits. */
  readonly takeNext: () => T | undefined
  /** Takes the check that must be refused after a check at this place was added. Returns `undefined` when none must be refused. */
  readonly takeSurplus: (place: HashingPlace | undefined) => Surplus<T> | undefined
  /** Returns about how many checks would be served before a new one at this place. */
  readonly countAhead: (place: HashingPlace | undefined) => number
}

/**
 * Creates empty lanes. One lane holds the checks of known pairs. The other lane holds the checks of all other clients, and the
 * checks without a place, which are the application's. Three known checks are served, then one other.
 *
 * - In the lane of known pairs, both users and networks take turns. One account that is known from many networks has one turn in
 *   each round. Many accounts that are known from one network share one turn. In the other lane, networks take turns.
 * - A network is an IPv4 address or an IPv6 /48. Within a /48 its /56s take turns, and within a /56 its /64s. Any number of new
 *   /64s in one
 *   /48 therefore share one turn. The application's checks take turns with all clients of their lane together.
 * - In each lane, one network (IPv4 address or /48) may have at most a quarter of `maxQueued` waiting. So may one user in the
 *   lane of known pairs.
 * - When more than `maxQueued` checks wait, the newest check of the network or known user with the most checks is surplus. In a
 *   tie, the check that arrived later is surplus. Known checks are surplus only while they hold more than half of the queue.
 */
export const createHashingLanes = <T extends object>(maxQueued: number): HashingLanes<T> => {
  const known = createKnownTurns<T>()
  const others = createFairTurns<T>()
  const mostKnown = Math.ceil(maxQueued / 2)
  const mostOfOne = Math.ceil(maxQueued / 4)
  let knownInARow = 0

  const takeSurplusOfQueue = (): Surplus<T> | undefined => {
    const entry = known.size() > mostKnown ? known.takeNewestOfLargest() : others.takeNewestOfLargest([])
    return entry && { entry, bound: 'queue' }
  }

  const takeSurplusOfOthers = (place: HashingPlace): Surplus<T> | undefined => {
    const network = toPath(place).slice(0, 2)
    const entry = others.countAt(network) > mostOfOne ? others.takeNewestOfLargest(network) : undefined
    return entry && { entry, bound: 'network' }
  }

  return {
    add: (place, check) =>
      place?.isKnown === true ? known.add(toNames(place), check) : others.add(toPath(place), check),

    takeNext: () => {
      const isKnownNext = known.size() > 0 && (others.countAt([]) === 0 || knownInARow < turnsInARow)
      knownInARow = isKnownNext ? knownInARow + 1 : 0
      return isKnownNext ? known.takeNext() : others.takeNext()
    },

    takeSurplus: (place) => {
      if (known.size() + others.countAt([]) > maxQueued) return takeSurplusOfQueue()
      if (place === undefined) return undefined
      return place.isKnown ? known.takeBeyond(toNames(place), mostOfOne) : takeSurplusOfOthers(place)
    },

    countAhead: (place) => {
      if (place?.isKnown === true) {
        const ahead = known.countAhead(toNames(place))
        return ahead + Math.min(others.countAt([]), Math.ceil(ahead / turnsInARow))
      }
      const ahead = others.countAhead(toPath(place))
      return ahead + Math.min(known.size(), (ahead + 1) * turnsInARow)
    },
  }
}

const toPath = (place: HashingPlace | undefined): TurnPath =>
  place === undefined ? ['application'] : ['clients', ...toNetworkPath(place.network)]

// Without a user, networks take turns alone.
const toNames = ({ user, network }: HashingPlace): KnownNames => ({
  user: user === undefined ? `of ${network}` : `user ${user}`,
  networks: toNetworkPath(network),
})

// `2001:db8:1:203::/64` is in `2001:db8:1::/48`, and there in `2001:db8:1:200::/56`.
const toNetworkPath = (network: string): KnownNames['networks'] => {
  const wider = toAggregates(network)
  return wider === undefined ? [network] : [wider.of48, wider.of56, network]
}

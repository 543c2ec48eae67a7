import type { HashingPlace } from '../ports/hashing-place.js'
import { createFairTurns, type FairTurns, type TurnPath, turnsInARow } from './fair-turns.js'

/** The checks that wait in a hashing queue. */
export interface HashingLanes<T extends object> {
  /** Adds a check. The returned function removes the check, and does nothing once the check was taken. */
  readonly add: (place: HashingPlace | undefined, check: T) => () => void
  /** Takes the check whose turn has come; `undefined` when none waits. */
  readonly takeNext: () => T | undefined
  /** Takes a check that must be refused after a check at this place was added; `undefined` when all have room. */
  readonly takeSurplus: (place: HashingPlace | undefined) => Surplus<T> | undefined
  /** Returns how many checks would be served before a new one at this place, about. */
  readonly countAhead: (place: HashingPlace | undefined) => number
}

/** A check that must be refused, and which bound it exceeds. */
export interface Surplus<T> {
  readonly check: T
  readonly bound: 'queue' | 'network' | 'user'
}

/**
 * Creates empty lanes. One lane holds the checks of known pairs. The other lane holds the checks of all other clients, and the
 * checks without a place, which are the application's. Three known checks are served, then one other.
 *
 * - In the lane of known pairs users take turns, and within the turns of a user networks do. In the other lane networks take turns.
 * - Networks are IPv4 addresses, and for IPv6 /48s, in each /48 its /56s, and in each /56 its /64s. So ever-new /64s of one /48
 *   share one turn. The application's checks take turns with all clients of their lane together.
 * - One known user, and one network (IPv4 address or /48) of others, has at most a quarter of `maxQueued` waiting.
 * - When more than `maxQueued` wait, the newest check of the user (then of the network) with most checks is surplus, and of equal
 *   users or networks the newest. Known checks are surplus only while they hold more than half of the queue.
 */
export const createHashingLanes = <T extends object>(maxQueued: number): HashingLanes<T> => {
  const known = createFairTurns<T>()
  const others = createFairTurns<T>()
  const mostKnown = Math.ceil(maxQueued / 2)
  const mostOfOne = Math.ceil(maxQueued / 4)
  let knownInARow = 0

  const laneOf = (place: HashingPlace | undefined): FairTurns<T> => (place?.isKnown === true ? known : others)

  const takeNextOfLane = (lane: FairTurns<T>): T | undefined => {
    knownInARow = lane === known ? knownInARow + 1 : 0
    return lane.takeNext()
  }

  return {
    add: (place, check) => laneOf(place).add(toPath(place), check),

    takeNext: () => {
      const isKnownNext = known.size() > 0 && (others.size() === 0 || knownInARow < turnsInARow)
      return takeNextOfLane(isKnownNext ? known : others)
    },

    takeSurplus: (place) => {
      if (known.size() + others.size() > maxQueued) {
        const check = (known.size() > mostKnown ? known : others).takeNewestOfLargest([])
        return check && { check, bound: 'queue' }
      }
      const lane = laneOf(place)
      const one = toPath(place).slice(0, 2)
      if (place === undefined || lane.countAt(one) <= mostOfOne) return undefined
      const check = lane.takeNewestOfLargest(one)
      return check && { check, bound: readKnownUser(place) === undefined ? 'network' : 'user' }
    },

    countAhead: (place) => {
      const ahead = laneOf(place).countAhead(toPath(place))
      return place?.isKnown === true
        ? ahead + Math.min(others.size(), Math.ceil(ahead / turnsInARow))
        : ahead + Math.min(known.size(), (ahead + 1) * turnsInARow)
    },
  }
}

const readKnownUser = ({ isKnown, user }: HashingPlace): string | undefined => (isKnown ? user : undefined)

const toPath = (place: HashingPlace | undefined): TurnPath => {
  if (place === undefined) return ['application']
  const user = readKnownUser(place)
  return ['clients', ...(user === undefined ? [] : [`user ${user}`]), ...toNetworkPath(place.network)]
}

/** `2001:db8:1:203::/64` is in `2001:db8:1::/48`, and there in `2001:db8:1:200::/56`. */
const toNetworkPath = (network: string): TurnPath => {
  const [, wide, narrow] = /^([\da-f]+:[\da-f]+:[\da-f]+):([\da-f]+)::\/64$/.exec(network) ?? []
  if (wide === undefined || narrow === undefined) return [network]
  return [`${wide}::/48`, `${wide}:${(Number.parseInt(narrow, 16) & 0xff00).toString(16)}::/56`, network]
}

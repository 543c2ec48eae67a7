import type { HashingPriority } from '@jwt-auth/core'
import { toAggregates } from '@jwt-auth/core/adapter'
import { createFairTurns, maxTurnsInARow, type TurnPath } from './fair-turns.js'

/** A check that was added to the lanes. */
export interface Added<T> {
  /** Removes the check. Does nothing once the check was taken. */
  readonly remove: () => void
  /** The check that must be refused, perhaps the new one, and the bound that it exceeds. */
  readonly evicted: { readonly check: T; readonly bound: 'queue' | 'network' | 'user' } | undefined
}

interface Waiting<T> {
  readonly path: TurnPath
  readonly network: string | undefined
  readonly user: string | undefined
  readonly check: T
}

const known = ['known']
const others = ['others']

/**
 * Creates empty lanes. One lane holds the checks of known pairs. The other lane holds the checks of
 * all other clients, and the checks without a priority, which are the application's. Three known
 * checks are served, then one other.
 *
 * - Networks take turns: IPv4 addresses and IPv6 /48s, then the /56s of a /48, then the /64s of a
 *   /56. The application's checks take turns with all clients of their lane together.
 * - Known checks take turns by group. A check joins the group in which its user waits, or else a
 *   group in which its network waits. One account that is known from many networks therefore has
 *   one turn, and so have many accounts that are known from one network. Within a group, a user who
 *   waits more often than the network takes turns with the networks.
 * - In each lane, one network may have at most a quarter of `maxQueued` waiting. So may one user in
 *   the lane of known pairs.
 * - When more than `maxQueued` checks wait, the newest check of the largest group or network is
 *   evicted. Known checks are evicted only while they hold more than half of the queue.
 */
export const createHashingLanes = <T>(maxQueued: number) => {
  const turns = createFairTurns<Waiting<T>>()
  const maxKnown = Math.ceil(maxQueued / 2)
  const maxOfOne = Math.ceil(maxQueued / 4)
  let knownInARow = 0
  let groupNumber = 0

  const toKnownPath = (user: string, networks: Networks): TurnPath => {
    const waiting = turns.entriesAt(known)
    const ofUser = waiting.filter((one) => one.user === user)
    const ofNetwork = waiting.filter((one) => one.network === networks[0])
    groupNumber += 1
    const group = [...ofUser, ...ofNetwork][0]?.path[1] ?? `group ${groupNumber}`
    const branches = ofUser.length > ofNetwork.length ? [user, ...networks] : [...networks, user]
    return [...known, group, ...branches]
  }

  const locate = (priority: HashingPriority | undefined): Omit<Waiting<T>, 'check'> => {
    if (priority === undefined) return { path: [...others, 'application'], network: undefined, user: undefined }
    const networks = toNetworks(priority.network)
    const [network] = networks
    if (!priority.isKnown) return { path: [...others, 'clients', ...networks], network, user: undefined }
    // Without a user, networks take turns alone.
    const user = priority.user === undefined ? `of ${priority.network}` : `user ${priority.user}`
    return { path: toKnownPath(user, networks), network, user }
  }

  const isBeyond = ({ path }: Waiting<T>, isOfOne: (one: Waiting<T>) => boolean): boolean =>
    turns.entriesAt(path.slice(0, 1)).filter(isOfOne).length > maxOfOne

  const evict = (added: Waiting<T>, remove: () => void): Added<T>['evicted'] => {
    const { path, network, user, check } = added
    if (turns.countAt([]) > maxQueued) {
      const evicted = turns.evictNewestOfLargest(turns.countAt(known) > maxKnown ? known : others)
      return evicted && { check: evicted.check, bound: 'queue' }
    }
    if (network !== undefined && isBeyond(added, (one) => one.network === network)) {
      const evicted = turns.evictNewestOfLargest(path.slice(0, 3))
      return evicted && { check: evicted.check, bound: 'network' }
    }
    if (user === undefined || !isBeyond(added, (one) => one.user === user)) return undefined
    remove()
    return { check, bound: 'user' }
  }

  return {
    /** Adds a check, and evicts a check if too many wait. */
    add: (priority: HashingPriority | undefined, check: T): Added<T> => {
      const added = { ...locate(priority), check }
      const remove = turns.add(added.path, added)
      return { remove, evicted: evict(added, remove) }
    },

    /** Takes the check whose turn has come. Returns `undefined` when none waits. */
    takeNext: (): T | undefined => {
      const isKnownNext = turns.countAt(known) > 0 && (turns.countAt(others) === 0 || knownInARow < maxTurnsInARow)
      knownInARow = isKnownNext ? knownInARow + 1 : 0
      return turns.takeNext(isKnownNext ? known : others)?.check
    },

    /** Returns about how many checks would be served before a new one with this priority. */
    countAhead: (priority: HashingPriority | undefined): number => {
      const { path } = locate(priority)
      const ahead = turns.countAhead(path.slice(0, 1), path.slice(1))
      const ofOtherLane = priority?.isKnown === true ? Math.ceil(ahead / maxTurnsInARow) : (ahead + 1) * maxTurnsInARow
      return ahead + Math.min(turns.countAt(priority?.isKnown === true ? others : known), ofOtherLane)
    },
  }
}

/** The checks that wait in a hashing queue. */
export type HashingLanes<T> = ReturnType<typeof createHashingLanes<T>>

type Networks = readonly [string, ...string[]]

// `2001:db8:1:203::/64` is in `2001:db8:1::/48`, and there in `2001:db8:1:200::/56`.
const toNetworks = (network: string): Networks => {
  const wider = toAggregates(network)
  return wider === undefined ? [network] : [wider.of48, wider.of56, network]
}

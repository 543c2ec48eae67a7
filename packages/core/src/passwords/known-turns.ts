import { turnsInARow } from './fair-turns.js'

/** Whose turn a check of a known pair takes. */
export interface KnownNames {
  /** The name of the user, or of the network if the user is unknown. */
  readonly user: string
  /** From the widest to the narrowest. */
  readonly networks: readonly [string, ...string[]]
}

/** Checks of known pairs that wait. Both users and networks take turns. */
interface KnownTurns<T> {
  readonly size: () => number
  /** Adds an entry. The returned function removes the entry, and does nothing once the entry was taken. */
  readonly add: (names: KnownNames, entry: T) => () => void
  /** Takes the entry whose turn has come. Returns `undefined` when none waits. */
  readonly takeNext: () => T | undefined
  /** Takes the newest entry of the user or the network with the most entries. */
  readonly takeNewestOfLargest: () => T | undefined
  /** Takes the newest entry of this user or this network if the user or the network has more than `most`. */
  readonly takeBeyond: (names: KnownNames, most: number) => Surplus<T> | undefined
  /** Returns about how many entries would be served before a new one. */
  readonly countAhead: (names: KnownNames) => number
}

/** An entry that must be refused, and which bound it exceeds. */
export interface Surplus<T> {
  /** The entry, which was taken. */
  readonly entry: T
  /** The bound of the whole queue, of one network, or of one user. */
  readonly bound: 'queue' | 'network' | 'user'
}

/** The count of one user or network while entries of it wait. */
interface Tally {
  count: number
  /** The number of its latest turn. 0 if it had none since it started to wait. */
  servedAt: number
}

interface Waiting<T> {
  readonly entry: T
  readonly names: KnownNames
  readonly user: Tally
  readonly networks: readonly [Tally, ...Tally[]]
}

/**
 * Creates an empty structure. The entry whose user and networks were served least recently comes first. Entries are compared by
 * the most recent turn among the user and its networks, then by the next most recent turn. One account that is known from many
 * networks therefore has one turn in each round. Many accounts that are known from one network share one turn. Entries of which
 * neither the user nor a network was served since they started to wait come before all others, at most three in a row.
 */
export const createKnownTurns = <T>(): KnownTurns<T> => {
  // In the order of arrival.
  const waiting = new Set<Waiting<T>>()
  const users = new Map<string, Tally>()
  const networks = new Map<string, Tally>()
  let turns = 0
  let freshInARow = 0

  const leave = (one: Waiting<T> | undefined): T | undefined => {
    if (one === undefined || !waiting.delete(one)) return undefined
    release(users, one.names.user)
    for (const name of one.names.networks) release(networks, name)
    return one.entry
  }

  const chooseNext = (): Waiting<T> | undefined => {
    const all = [...waiting]
    const fresh = all.find(isFresh)
    const [first, ...others] = all.filter((one) => !isFresh(one))
    const isFreshNext = fresh !== undefined && (first === undefined || freshInARow < turnsInARow)
    freshInARow = isFreshNext && first !== undefined ? freshInARow + 1 : 0
    if (isFreshNext || first === undefined) return fresh
    return others.reduce((best, one) => (isServedBefore(one, best) ? one : best), first)
  }

  const countTurnsOfOthers = (tallies: Map<string, Tally>, own: string, most: number): number =>
    [...tallies].reduce((sum, [name, { count }]) => (name === own ? sum : sum + Math.min(count, most)), 0)

  return {
    size: () => waiting.size,

    add: (names, entry) => {
      const [widest, ...narrower] = names.networks
      const one: Waiting<T> = {
        entry,
        names,
        user: enter(users, names.user),
        networks: [enter(networks, widest), ...narrower.map((name) => enter(networks, name))],
      }
      waiting.add(one)
      return () => {
        leave(one)
      }
    },

    takeNext: () => {
      const next = chooseNext()
      if (next === undefined) return undefined
      turns += 1
      for (const tally of [next.user, ...next.networks]) tally.servedAt = turns
      return leave(next)
    },

    takeNewestOfLargest: () => leave(findNewestOfLargest([...waiting])),

    takeBeyond: (names, most) => {
      const ofUser = users.get(names.user)
      const ofNetwork = networks.get(names.networks[0])
      const bound = isBeyond(ofNetwork, most) ? 'network' : 'user'
      if (bound === 'user' && !isBeyond(ofUser, most)) return undefined
      const isOfOne = (one: Waiting<T>): boolean =>
        bound === 'user' ? one.user === ofUser : one.networks[0] === ofNetwork
      const entry = leave(findNewestOfLargest([...waiting].filter(isOfOne)))
      return entry === undefined ? undefined : { entry, bound }
    },

    countAhead: ({ user, networks: [network] }) => {
      const own = Math.max(users.get(user)?.count ?? 0, networks.get(network)?.count ?? 0)
      // Until the new entry is served, every other user and network is served as often as the user and network of the new entry.
      const ofUsers = countTurnsOfOthers(users, user, own + 1)
      const ofNetworks = countTurnsOfOthers(networks, network, own + 1)
      return Math.min(waiting.size, own + Math.min(ofUsers, ofNetworks))
    },
  }
}

const enter = (tallies: Map<string, Tally>, name: string): Tally => {
  const tally = tallies.get(name) ?? { count: 0, servedAt: 0 }
  tallies.set(name, tally)
  tally.count += 1
  return tally
}

const release = (tallies: Map<string, Tally>, name: string): void => {
  const tally = tallies.get(name)
  if (tally === undefined) return
  tally.count -= 1
  if (tally.count === 0) tallies.delete(name)
}

const isBeyond = (tally: Tally | undefined, most: number): boolean => tally !== undefined && tally.count > most

const isFresh = ({ user, networks: [widest] }: Waiting<unknown>): boolean =>
  user.servedAt === 0 && widest.servedAt === 0

const toLatestTurns = ({ user, networks }: Waiting<unknown>): readonly number[] =>
  [user, ...networks].map(({ servedAt }) => servedAt).toSorted((one, other) => other - one)

const isServedBefore = (one: Waiting<unknown>, other: Waiting<unknown>): boolean =>
  isLess(toLatestTurns(one), toLatestTurns(other))

const isLess = (one: readonly number[], other: readonly number[]): boolean => {
  const place = one.findIndex((number, index) => number !== other[index])
  return (one[place] ?? 0) < (other[place] ?? 0)
}

// Of equal entries, the newest.
const findNewestOfLargest = <T>(entries: readonly Waiting<T>[]): Waiting<T> | undefined => {
  const [first, ...others] = entries
  if (first === undefined) return undefined
  return others.reduce((largest, one) => (isLess(toSizes(one), toSizes(largest)) ? largest : one), first)
}

const toSizes = ({ user, networks: [network] }: Waiting<unknown>): readonly number[] =>
  [user.count, network.count].toSorted((one, other) => other - one)

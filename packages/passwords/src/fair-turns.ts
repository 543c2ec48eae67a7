/**
 * Where an entry waits: the names of branches, such as networks, from the widest to the narrowest.
 */
export type TurnPath = readonly string[]

/** How many turns in a row fresh branches may take while served branches wait. */
export const maxTurnsInARow = 3

interface Branch<T> {
  size: number
  /** In the order of arrival. Only the narrowest branches have entries. */
  readonly entries: Set<T>
  /** Branches that were not served since they started to wait, in the order of their turns. */
  readonly fresh: Map<string, Branch<T>>
  /** Branches that were served since they started to wait, in the order of their turns. */
  readonly served: Map<string, Branch<T>>
  freshInARow: number
}

/**
 * Creates an empty structure. On each level, branches take turns. A branch that has just started to
 * wait is served before branches that were served already, at most three times in a row. Otherwise
 * a quiet network would wait behind a network that always has entries.
 */
export const createFairTurns = <T extends object>() => {
  const root = createBranch<T>()
  return {
    /** Returns how many entries wait at a branch and below it. The empty path is the root. */
    countAt: (path: TurnPath): number => findBranch(root, path)?.size ?? 0,
    /**
     * Adds an entry. The returned function removes the entry, and does nothing once the entry was
     * taken.
     */
    add: (path: TurnPath, entry: T): (() => void) => {
      addTo(root, path, entry)
      return () => {
        removeFrom(root, path, entry)
      }
    },
    /**
     * Returns the entries that wait at a branch and below it, those of one narrowest branch in the
     * order of arrival.
     */
    entriesAt: (path: TurnPath): readonly T[] => entriesOf(findBranch(root, path)),
    /**
     * Takes the entry at or below a branch whose turn has come. Returns `undefined` when none waits.
     */
    takeNext: (path: TurnPath): T | undefined => takeNextOf(root, path),
    /**
     * Takes the newest entry of the branch with the most entries, level by level from the branch at
     * `path`.
     */
    evictNewestOfLargest: (path: TurnPath): T | undefined => {
      const branch = findBranch(root, path)
      const found = branch && findNewestOfLargest(branch, path)
      if (found !== undefined) removeFrom(root, found.path, found.entry)
      return found?.entry
    },
    /**
     * Returns about how many entries below a branch would be served before a new one at a path that
     * starts at the branch.
     */
    countAhead: (branch: TurnPath, path: TurnPath): number => countAheadIn(findBranch(root, branch), path),
  }
}

/** Entries that wait. The branches of each level take turns. */
export type FairTurns<T extends object> = ReturnType<typeof createFairTurns<T>>

const createBranch = <T>(): Branch<T> => ({
  size: 0,
  entries: new Set(),
  fresh: new Map(),
  served: new Map(),
  freshInARow: 0,
})

const childOf = <T>({ fresh, served }: Branch<T>, name: string): Branch<T> | undefined =>
  fresh.get(name) ?? served.get(name)

const childrenOf = <T>({ fresh, served }: Branch<T>): readonly (readonly [string, Branch<T>])[] => [...served, ...fresh]

const entriesOf = <T>(branch: Branch<T> | undefined): readonly T[] =>
  branch === undefined ? [] : [...branch.entries, ...childrenOf(branch).flatMap(([, child]) => entriesOf(child))]

const findBranch = <T>(branch: Branch<T>, [name, ...rest]: TurnPath): Branch<T> | undefined => {
  if (name === undefined) return branch
  const child = childOf(branch, name)
  return child && findBranch(child, rest)
}

const addTo = <T>(branch: Branch<T>, [name, ...rest]: TurnPath, entry: T): void => {
  branch.size += 1
  if (name === undefined) {
    branch.entries.add(entry)
    return
  }
  const child = childOf(branch, name) ?? createBranch()
  if (child.size === 0) branch.fresh.set(name, child)
  addTo(child, rest, entry)
}

const removeFrom = <T>(branch: Branch<T>, [name, ...rest]: TurnPath, entry: T): boolean => {
  const child = name === undefined ? undefined : childOf(branch, name)
  const isRemoved = name === undefined ? branch.entries.delete(entry) : child && removeFrom(child, rest, entry)
  if (!isRemoved) return false
  branch.size -= 1
  if (name !== undefined && child?.size === 0) {
    branch.fresh.delete(name)
    branch.served.delete(name)
  }
  return true
}

const takeNextOf = <T>(branch: Branch<T>, [name = chooseNext(branch), ...rest]: TurnPath): T | undefined => {
  if (name === undefined) return takeOldest(branch)
  const child = childOf(branch, name)
  if (child === undefined) return undefined
  const entry = takeNextOf(child, rest)
  branch.size -= 1
  branch.fresh.delete(name)
  branch.served.delete(name)
  if (child.size > 0) branch.served.set(name, child)
  return entry
}

const takeOldest = <T>(branch: Branch<T>): T | undefined => {
  const [entry] = branch.entries
  if (entry === undefined) return undefined
  branch.entries.delete(entry)
  branch.size -= 1
  return entry
}

const chooseNext = <T>(branch: Branch<T>): string | undefined => {
  const { fresh, served, freshInARow } = branch
  const isFresh = fresh.size > 0 && (served.size === 0 || freshInARow < maxTurnsInARow)
  branch.freshInARow = isFresh && served.size > 0 ? freshInARow + 1 : 0
  const [next] = (isFresh ? fresh : served).keys()
  return next
}

// Of equal branches, the branch that has waited for the shortest time.
const findNewestOfLargest = <T>(
  branch: Branch<T>,
  path: TurnPath,
): { readonly path: TurnPath; readonly entry: T } | undefined => {
  const [first, ...others] = childrenOf(branch)
  if (first !== undefined) {
    const [name, child] = others.reduce((largest, other) => (other[1].size >= largest[1].size ? other : largest), first)
    return findNewestOfLargest(child, [...path, name])
  }
  const entry = [...branch.entries].at(-1)
  return entry === undefined ? undefined : { path, entry }
}

const countAheadIn = <T>(branch: Branch<T> | undefined, [name, ...rest]: TurnPath): number => {
  if (branch === undefined) return 0
  if (name === undefined) return branch.entries.size
  const own = countAheadIn(childOf(branch, name), rest)
  // Until the new entry is served, every other branch is served as often as the branch of the new
  // entry.
  const others = childrenOf(branch).map(([other, { size }]) => (other === name ? 0 : Math.min(size, own + 1)))
  return others.reduce((sum, turns) => sum + turns, own)
}

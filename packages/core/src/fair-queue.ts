import { AuthError, type HashingRefusal } from './errors/auth-error.js'
import { toNetworks } from './network.js'
import type { HashingPriority } from './ports/user-directory.js'
import type { System } from './system.js'

/** The bounds of what waits in a queue. */
export interface QueueBounds extends Pick<System, 'startTimer'> {
  /** How many may wait. One network, or one known user, may have a quarter. @default any number */
  readonly maxQueued?: number
  /** How long one may wait, in milliseconds. */
  readonly queueTimeoutMs: number
  /** Creates the error of a refusal. */
  readonly toError: (reason: HashingRefusal['reason'], priority: HashingPriority | undefined) => AuthError
}

/**
 * Creates a queue in which `concurrency` works run at a time. Without bounds, any number may wait,
 * for as long as it takes.
 *
 * One lane holds known pairs. The other lane holds all other clients, and what has no priority,
 * which is the application's. Three of the known lane are served, then one other.
 *
 * - Networks take turns: IPv4 addresses and IPv6 /48s, then the /56s of a /48, then the /64s of a
 *   /56. The application's work takes turns with all clients of its lane together, and is served in
 *   the order of arrival.
 * - A network that has just started to wait is served before networks that were served already, at
 *   most three times in a row. Otherwise a quiet network would wait behind a network that always
 *   has something waiting.
 * - Known pairs take turns by group. A pair joins the group in which its user waits, or else a
 *   group in which its network waits. One account that is known from many networks therefore has
 *   one turn, and so have many accounts that are known from one network. Within a group, networks
 *   take turns, and then the users of a network.
 * - In each lane, one network may have at most a quarter of `maxQueued` waiting. So may one user in
 *   the lane of known pairs.
 * - When more than `maxQueued` wait, the newest of the largest group or network is refused. Known
 *   pairs are refused only while they hold more than half of the queue.
 */
export const createFairQueue = (concurrency: number, bounds?: QueueBounds) => {
  const [known, others] = [createBranch(), createBranch()]
  const lanes = { inARow: 0 }
  let running = 0
  let groupNumber = 0

  const locate = (priority: HashingPriority | undefined): Place => {
    if (priority === undefined) return { lane: others, path: ['application'] }
    const networks = toNetworks(priority.network)
    if (!priority.isKnown) return { lane: others, path: ['clients', ...networks] }
    // Without a user, networks take turns alone.
    const user = priority.user === undefined ? `of ${priority.network}` : `user ${priority.user}`
    const waiting = [...known.waiting]
    const near = waiting.find(({ path }) => path.at(-1) === user) ?? waiting.find(({ path }) => path[1] === networks[0])
    groupNumber += 1
    return { lane: known, path: [near?.path[0] ?? `group ${groupNumber}`, ...networks, user] }
  }

  const refuseSurplus = (added: Waiter, maxQueued: number): void => {
    const { lane, path } = added
    const isBeyond = (place: number): boolean =>
      [...lane.waiting].filter((one) => one.path.at(place) === path.at(place)).length > Math.ceil(maxQueued / 4)
    if (known.waiting.size + others.waiting.size > maxQueued) {
      findNewestOfLargest(known.waiting.size > Math.ceil(maxQueued / 2) ? known : others)?.refuse('queue')
    } else if (path.length > 1 && isBeyond(1)) {
      findNewestOfLargest(findBranch(lane, path.slice(0, 2)))?.refuse('network')
    } else if (lane === known && isBeyond(-1)) {
      added.refuse('user')
    }
  }

  const wait = (priority: HashingPriority | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        remove(waiter)
        stopTimer?.()
        priority?.signal?.removeEventListener('abort', onAbort)
        end()
      }
      const onAbort = (): void => settle(() => reject(disconnected()))
      const waiter: Waiter = {
        ...locate(priority),
        start: () => settle(resolve),
        refuse: (reason) => settle(() => reject(bounds?.toError(reason, priority))),
      }
      add(waiter)
      const stopTimer = bounds?.startTimer(bounds.queueTimeoutMs, () => waiter.refuse('timeout'))
      priority?.signal?.addEventListener('abort', onAbort)
      if (bounds?.maxQueued !== undefined) refuseSurplus(waiter, bounds.maxQueued)
    })

  const enter = async (priority?: HashingPriority): Promise<void> => {
    if (priority?.signal?.aborted === true) throw disconnected()
    if (running >= concurrency) return wait(priority)
    running += 1
  }

  const leave = (): void => {
    running -= 1
    while (running < concurrency && known.waiting.size + others.waiting.size > 0) {
      const next = findNext(isFirstNext(lanes, known.waiting.size, others.waiting.size) ? known : others)
      if (next === undefined) return
      running += 1
      remove(next, 'served')
      next.start()
    }
  }

  return {
    /**
     * Resolves when the caller may start.
     *
     * @throws AuthError `jwt_auth_invalid_request` when the signal of the priority aborts before;
     *   the error of the bounds for a refusal
     */
    enter,
    /**
     * Ends what `enter` has started. The next one starts synchronously, so that no newcomer
     * overtakes it.
     */
    leave,
    /**
     * Runs a work when its turn has come, and settles as the work does.
     */
    run: async <T>(work: () => Promise<T>, priority?: HashingPriority): Promise<T> => {
      await enter(priority)
      try {
        return await work()
      } finally {
        leave()
      }
    },
    /** Returns about how many would be served before a new one with this priority. */
    countAhead: (priority: HashingPriority | undefined): number => {
      const { lane, path } = locate(priority)
      const ahead = countAheadIn(lane, path)
      const [other, ofOther] =
        lane === known ? [others, Math.ceil(ahead / maxTurnsInARow)] : [known, (ahead + 1) * maxTurnsInARow]
      return ahead + Math.min(other.waiting.size, ofOther)
    },
  }
}

/**
 * Creates the function that runs the works of one key, `concurrency` at a time, in the order of
 * their calls. After a failure, all that wait run: while a storage does not respond, each of them
 * fails at its own deadline, and their waits do not add up.
 */
export const createQueueOfKeys = (concurrency: number) => {
  const queues = new Map<string, { running: number; readonly waiting: (() => void)[] }>()
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] }
    queues.set(key, queue)
    if (queue.running < concurrency) queue.running += 1
    else await new Promise<void>((start) => queue.waiting.push(start))
    let maxRunning = Number.POSITIVE_INFINITY
    try {
      const result = await work()
      maxRunning = concurrency
      return result
    } finally {
      queue.running -= 1
      const next = queue.waiting.splice(0, Math.max(0, maxRunning - queue.running))
      queue.running += next.length
      for (const start of next) start()
      if (queue.running === 0) queues.delete(key)
    }
  }
}

const disconnected = (): AuthError =>
  new AuthError('jwt_auth_invalid_request', { detail: 'the client disconnected before its turn' })

/** Where something waits: names of branches, from the widest to the narrowest. */
interface Place {
  readonly lane: Branch
  /** `application`, or `clients` or a group, the networks and the known user. */
  readonly path: readonly string[]
}

interface Waiter extends Place {
  readonly start: () => void
  readonly refuse: (reason: HashingRefusal['reason']) => void
}

interface Branch {
  /** What waits here and below, in the order of arrival. */
  readonly waiting: Set<Waiter>
  /** Branches that were not served since they started to wait, in the order of their turns. */
  readonly fresh: Map<string, Branch>
  /** Branches that were served since they started to wait, in the order of their turns. */
  readonly served: Map<string, Branch>
  inARow: number
}

const createBranch = (): Branch => ({ waiting: new Set(), fresh: new Map(), served: new Map(), inARow: 0 })

const childOf = ({ fresh, served }: Branch, name: string): Branch | undefined => fresh.get(name) ?? served.get(name)

const childrenOf = ({ fresh, served }: Branch): readonly (readonly [string, Branch])[] => [...served, ...fresh]

const findBranch = (lane: Branch, path: readonly string[]): Branch | undefined =>
  path.reduce<Branch | undefined>((branch, name) => branch && childOf(branch, name), lane)

const add = (waiter: Waiter): void => {
  let branch = waiter.lane
  branch.waiting.add(waiter)
  for (const name of waiter.path) {
    const child = childOf(branch, name) ?? createBranch()
    if (child.waiting.size === 0) branch.fresh.set(name, child)
    child.waiting.add(waiter)
    branch = child
  }
}

const remove = (waiter: Waiter, reason?: 'served'): void => {
  let branch: Branch | undefined = waiter.lane
  if (!branch.waiting.delete(waiter)) return
  for (const name of waiter.path) {
    const child: Branch | undefined = branch && childOf(branch, name)
    child?.waiting.delete(waiter)
    if (reason === 'served' || child?.waiting.size === 0) {
      branch?.fresh.delete(name)
      branch?.served.delete(name)
      if (child !== undefined && child.waiting.size > 0) branch?.served.set(name, child)
    }
    branch = child
  }
}

const maxTurnsInARow = 3

// Returns whether the first of two kinds is next: at most three times in a row while the second
// waits.
const isFirstNext = (turns: { inARow: number }, first: number, second: number): boolean => {
  const isFirst = first > 0 && (second === 0 || turns.inARow < maxTurnsInARow)
  turns.inARow = isFirst ? turns.inARow + 1 : 0
  return isFirst
}

const findNext = (branch: Branch): Waiter | undefined => {
  const { fresh, served, waiting } = branch
  const [child] = (isFirstNext(branch, fresh.size, served.size) ? fresh : served).values()
  const [oldest] = waiting
  return child === undefined ? oldest : findNext(child)
}

// Of equal branches, the branch that has waited for the shortest time.
const findNewestOfLargest = (branch: Branch | undefined): Waiter | undefined => {
  const [first, ...rest] = branch === undefined ? [] : childrenOf(branch).map(([, child]) => child)
  if (first === undefined) return [...(branch?.waiting ?? [])].at(-1)
  const largest = rest.reduce((found, other) => (other.waiting.size >= found.waiting.size ? other : found), first)
  return findNewestOfLargest(largest)
}

const countAheadIn = (branch: Branch | undefined, [name, ...rest]: readonly string[]): number => {
  if (branch === undefined) return 0
  if (name === undefined) return branch.waiting.size
  const own = countAheadIn(childOf(branch, name), rest)
  // Until the new one is served, every other branch is served as often as its own branch.
  const others = childrenOf(branch).map(([other, { waiting }]) =>
    other === name ? 0 : Math.min(waiting.size, own + 1),
  )
  return others.reduce((sum, turns) => sum + turns, own)
}

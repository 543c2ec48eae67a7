import { availableParallelism } from 'node:os'
import { AuthError } from '../errors/auth-error.js'
import { optionError } from '../errors/option-error.js'
import { checkOptionNames, readFunction, readInteger } from '../options/option-checks.js'
import { machineSystem, type System } from '../system.js'

/**
 * Stands before everything that hashes passwords. Hashing takes a thread of Node's pool for a quarter of a second, and file
 * reads, DNS and compression need the same few threads: without a gate, 64 logins at once stop them for ten seconds.
 */
export interface HashingGate {
  /**
   * Runs work as soon as its turn comes, oldest first. Rejects with `jwt_auth_unavailable` and a time to try again, without
   * having begun, when too many wait already or when the turn does not come in time; else settles as the work does.
   */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
}

/** How much a gate lets through. `undefined` equals absent. */
export interface HashingGateOptions {
  /**
   * How many hashes run at once, 1 to 1,022: the threads of Node's pool less two, which stay free for the rest of the host (the
   * pool has four unless `UV_THREADPOOL_SIZE` says otherwise), and never all processors. @default 2, on one or two processors 1
   */
  readonly maxRunning?: number | undefined
  /** How many may wait, 0 to 100,000. @default 100 */
  readonly maxWaiting?: number | undefined
  /** How long one may wait, in milliseconds, 10 to 60,000; the hash itself is not counted. @default 5000 */
  readonly maxWaitMs?: number | undefined
  /** Timers, for tests. @default the machine's */
  readonly system?: Pick<System, 'startTimer'> | undefined
}

/**
 * Makes a gate. Without one, all directories of a process share a gate with the defaults; one of your own suits a larger pool,
 * and then belongs to everything that hashes.
 *
 * @example
 * const gate = createHashingGate({ maxRunning: 14 }) // UV_THREADPOOL_SIZE=16
 * bcryptUsers({ findByUsername, findById, gate })
 * await hashPassword(password, { gate })
 */
export const createHashingGate = (options: HashingGateOptions = {}): HashingGate => {
  const { maxRunning, maxWaiting, maxWaitMs, startTimer } = readGateOptions(options)
  // A set keeps the order of arrival and lets go of one in the middle at once.
  const waiting = new Set<() => void>()
  let running = 0

  const waitForTurn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        stopTimer()
        resolve()
      }
      const stopTimer = startTimer(maxWaitMs, () => {
        waiting.delete(begin)
        reject(tooBusy('waitedTooLong', `maxWaitMs: ${maxWaitMs}`, maxWaitMs))
      })
      waiting.add(begin)
    })

  const enter = async (): Promise<void> => {
    if (running < maxRunning) running += 1
    else if (waiting.size < maxWaiting) await waitForTurn()
    else throw tooBusy('queueFull', `maxWaiting: ${maxWaiting}`, maxWaitMs)
  }

  // The next one takes over the place of the one that leaves, so that no newcomer gets in between.
  const leave = (): void => {
    const [next] = waiting
    if (next === undefined) {
      running -= 1
      return
    }
    waiting.delete(next)
    next()
  }

  return {
    run: async (work) => {
      await enter()
      try {
        return await work()
      } finally {
        leave()
      }
    },
  }
}

/** How many hashes run at once unless a host says otherwise. One processor stays free: event loop and hashes share them. */
export const defaultRunning = (processors: number = availableParallelism()): number =>
  Math.min(2, Math.max(1, processors - 1))

const refusals = {
  queueFull: 'the hashing queue is full',
  waitedTooLong: 'the wait in the hashing queue timed out',
} as const

/** Whether an error is a gate's refusal, whichever build of the package made the gate. */
export const isHashingRefusal = ({ detail }: AuthError): boolean =>
  detail === refusals.queueFull || detail === refusals.waitedTooLong

// After `maxWaitMs` everything that waits now has been hashed or turned away.
const tooBusy = (refusal: keyof typeof refusals, limit: string, maxWaitMs: number): AuthError =>
  new AuthError('jwt_auth_unavailable', {
    retryAfterSeconds: maxWaitMs / 1_000,
    detail: refusals[refusal],
    cause: new Error(
      `jwt-auth: passwords arrive faster than they are hashed (${limit}). Start more processes, or raise \`maxRunning\` of createHashingGate together with UV_THREADPOOL_SIZE; \`maxWaiting\` and \`maxWaitMs\` allow a longer queue.`,
    ),
  })

const optionNames: Record<keyof HashingGateOptions, true> = {
  maxRunning: true,
  maxWaiting: true,
  maxWaitMs: true,
  system: true,
}

const readGateOptions = (options: HashingGateOptions) => {
  if (typeof options !== 'object' || options === null) throw optionError('options', 'an object', options)
  checkOptionNames(options, optionNames, 'createHashingGate')
  const { maxRunning, maxWaiting, maxWaitMs, system = machineSystem } = options
  return {
    maxRunning: readInteger('maxRunning', maxRunning, {
      min: 1,
      max: 1_022,
      default: defaultRunning(),
      unit: 'hashes',
    }),
    maxWaiting: readInteger('maxWaiting', maxWaiting, { min: 0, max: 100_000, default: 100, unit: 'logins' }),
    maxWaitMs: readInteger('maxWaitMs', maxWaitMs, { min: 10, max: 60_000, default: 5_000, unit: 'milliseconds' }),
    startTimer: readFunction('system.startTimer', system.startTimer, machineSystem.startTimer).bind(system),
  }
}

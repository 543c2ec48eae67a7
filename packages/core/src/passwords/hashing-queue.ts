import { availableParallelism } from 'node:os'
import { AuthError } from '../errors/auth-error.js'
import { optionError } from '../errors/option-error.js'
import { checkOptionNames, readFunction, readInteger } from '../options/option-checks.js'
import { machineSystem, type System } from '../system.js'

/**
 * Stands before everything that hashes passwords. Hashing takes a thread of Node's pool for a quarter of a second, and file
 * reads, DNS and compression need the same few threads: without a queue, 64 logins at once stop them for ten seconds.
 */
export interface HashingQueue {
  /**
   * Runs work as soon as its turn comes, oldest first. Rejects with `jwt_auth_unavailable` and a time to try again, without
   * having begun, when too many wait already or when the turn does not come in time; else settles as the work does.
   */
  readonly run: <T>(work: () => Promise<T>) => Promise<T>
}

/** How much a queue lets through. `undefined` equals absent. */
export interface HashingQueueOptions {
  /**
   * How many hashes run at once, 1 to 1,022: the threads of Node's pool less two, which stay free for the rest of the host (the
   * pool has four unless `UV_THREADPOOL_SIZE` says otherwise), and never all processors. @default 2, on one or two processors 1
   */
  readonly concurrency?: number | undefined
  /** How many may wait, 0 to 100,000. @default 100 */
  readonly maxQueued?: number | undefined
  /** How long one may wait, in milliseconds, 10 to 60,000; the hash itself is not counted. @default 5000 */
  readonly queueTimeoutMs?: number | undefined
  /** Timers, for tests. @default the machine's */
  readonly system?: Pick<System, 'startTimer'> | undefined
}

/**
 * Makes a queue. Without one, all directories of a process share a queue with the defaults; one of your own suits a larger pool,
 * and then belongs to everything that hashes.
 *
 * @example
 * const queue = createHashingQueue({ concurrency: 14 }) // UV_THREADPOOL_SIZE=16
 * bcryptUsers({ findByUsername, findById, queue })
 * await hashPassword(password, { queue })
 */
export const createHashingQueue = (options: HashingQueueOptions = {}): HashingQueue => {
  const { concurrency, maxQueued, queueTimeoutMs, startTimer } = readQueueOptions(options)
  // A set keeps the order of arrival and lets go of one in the middle at once.
  const waiting = new Set<() => void>()
  let running = 0

  const waitForTurn = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        stopTimer()
        resolve()
      }
      const stopTimer = startTimer(queueTimeoutMs, () => {
        waiting.delete(begin)
        reject(tooBusy('waitedTooLong', `queueTimeoutMs: ${queueTimeoutMs}`, queueTimeoutMs))
      })
      waiting.add(begin)
    })

  const enter = async (): Promise<void> => {
    if (running < concurrency) running += 1
    else if (waiting.size < maxQueued) await waitForTurn()
    else throw tooBusy('queueFull', `maxQueued: ${maxQueued}`, queueTimeoutMs)
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

/** Whether an error is a queue's refusal, whichever build of the package made the queue. */
export const isHashingRefusal = ({ detail }: AuthError): boolean =>
  detail === refusals.queueFull || detail === refusals.waitedTooLong

// After `queueTimeoutMs` everything that waits now has been hashed or turned away.
const tooBusy = (refusal: keyof typeof refusals, limit: string, queueTimeoutMs: number): AuthError =>
  new AuthError('jwt_auth_unavailable', {
    retryAfterSeconds: queueTimeoutMs / 1_000,
    detail: refusals[refusal],
    cause: new Error(
      `jwt-auth: passwords arrive faster than they are hashed (${limit}). Start more processes, or raise \`concurrency\` of createHashingQueue together with UV_THREADPOOL_SIZE; \`maxQueued\` and \`queueTimeoutMs\` allow a longer queue.`,
    ),
  })

const optionNames: Record<keyof HashingQueueOptions, true> = {
  concurrency: true,
  maxQueued: true,
  queueTimeoutMs: true,
  system: true,
}

const readQueueOptions = (options: HashingQueueOptions) => {
  if (typeof options !== 'object' || options === null) throw optionError('options', 'an object', options)
  checkOptionNames(options, optionNames, 'createHashingQueue')
  const { concurrency, maxQueued, queueTimeoutMs, system = machineSystem } = options
  return {
    concurrency: readInteger('concurrency', concurrency, {
      min: 1,
      max: 1_022,
      default: defaultRunning(),
      unit: 'hashes',
    }),
    maxQueued: readInteger('maxQueued', maxQueued, { min: 0, max: 100_000, default: 100, unit: 'logins' }),
    queueTimeoutMs: readInteger('queueTimeoutMs', queueTimeoutMs, {
      min: 10,
      max: 60_000,
      default: 5_000,
      unit: 'milliseconds',
    }),
    startTimer: readFunction('system.startTimer', system.startTimer, machineSystem.startTimer).bind(system),
  }
}

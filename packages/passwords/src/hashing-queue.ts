import { availableParallelism } from 'node:os'
import { AuthError } from '@jwt-auth/core'
import {
  calls,
  createFairQueue,
  createIntegerReader,
  getMember,
  type HashingPriority,
  type HashingRefusal,
  type OptionReaders,
  readOptions,
  readSystem,
  trace,
} from '@jwt-auth/core/internal'

/**
 * Limits how many passwords are hashed at the same time. A hash takes a thread of Node's pool for a
 * quarter of a second, and file reads, DNS and compression need the same few threads. Without a
 * queue, 64 concurrent logins stop them for ten seconds.
 */
export interface HashingQueue {
  /**
   * Runs work when its turn has come. Known pairs are served first, and users and networks take
   * turns: see {@link createHashingQueue}. Work without a priority is the application's own, such
   * as a new password. Settles as the work does.
   *
   * @throws an {@link AuthError} `jwt_auth_unavailable` with `refusal` and `retryAfterSeconds` when
   *   too many wait or the wait timed out; `jwt_auth_invalid_request` when `priority.signal` aborts
   *   before the work has started. The work is not started then.
   */
  run<T>(work: () => Promise<T>, priority?: HashingPriority): Promise<T>
}

/** The bounds of a hashing queue. `undefined` means the same as omitting an option. */
export interface HashingQueueOptions {
  /**
   * How many checks run at the same time, 1 to 1,022. Leave threads of Node's pool to the
   * application: the pool has four unless you set `UV_THREADPOOL_SIZE`.
   * @default 2, on one or two processors 1
   */
  readonly concurrency?: number | undefined
  /**
   * How many checks may wait, 0 to 100,000. One network, or one known user, may have a quarter.
   * @default 100
   */
  readonly maxQueued?: number | undefined
  /**
   * How long a check may wait, in milliseconds, 10 to 60,000. The hash itself is not counted.
   * @default 5000
   */
  readonly queueTimeoutMs?: number | undefined
}

const refusals: Readonly<Record<HashingRefusal['reason'], string>> = {
  queue: 'the hashing queue is full',
  network: 'too many logins of one network wait in the hashing queue',
  user: 'too many logins of one user wait in the hashing queue',
  timeout: 'the wait in the hashing queue timed out',
}

/**
 * Creates a hashing queue. Without one, everything in a process that hashes shares a queue with the
 * defaults. Create one if you enlarge the thread pool, and pass it to everything that hashes.
 *
 * Checks of known pairs (the user logged in from this network before) come first: three of them are
 * served, then one other. Networks take turns, and so do the users of known pairs. One network or
 * known user has at most a quarter of `maxQueued` waiting: see docs/design/hashing-queue.md.
 *
 * @throws TypeError for an invalid option
 * @example
 * ```ts
 * const queue = createHashingQueue({ concurrency: 14 }) // UV_THREADPOOL_SIZE=16
 * passwordUsers({ findByUsername, findById, queue })
 * await hashPassword(password, { queue })
 * ```
 */
export const createHashingQueue = (options: HashingQueueOptions = {}): HashingQueue => {
  const { concurrency, maxQueued, queueTimeoutMs } = readOptions('createHashingQueue', options, readers)
  const { monotonicMs, startTimer } = readSystem(options)
  // A moving average of the duration of a check. Unknown before the first one.
  let meanMs: number | undefined

  // After `queueTimeoutMs`, every check that waits now will have been hashed or refused.
  const estimateWaitMs = (priority: HashingPriority | undefined): number =>
    Math.min(queueTimeoutMs, ((countAhead(priority) + 1) * (meanMs ?? queueTimeoutMs)) / concurrency)

  const toError = (reason: HashingRefusal['reason'], priority: HashingPriority | undefined): AuthError => {
    const bound = reason === 'timeout' ? `queueTimeoutMs: ${queueTimeoutMs}` : `maxQueued: ${maxQueued}`
    return new AuthError('jwt_auth_unavailable', {
      refusal: { reason, isKnown: priority?.isKnown === true },
      retryAfterSeconds: estimateWaitMs(priority) / 1_000,
      detail: refusals[reason],
      cause: new Error(
        `jwt-auth: passwords arrive faster than they are hashed (${bound}). Start more processes, or raise \`concurrency\` of createHashingQueue together with UV_THREADPOOL_SIZE; \`maxQueued\` and \`queueTimeoutMs\` allow a longer queue.`,
      ),
    })
  }

  const { enter, leave, countAhead } = createFairQueue(concurrency, { maxQueued, queueTimeoutMs, startTimer, toError })

  return {
    run: async (work, priority) => {
      await (calls.hashingWait.hasSubscribers ? trace(calls.hashingWait, {}, () => enter(priority)) : enter(priority))
      const startedAt = monotonicMs()
      try {
        return await (calls.hashing.hasSubscribers ? trace(calls.hashing, {}, work) : work())
      } finally {
        const tookMs = monotonicMs() - startedAt
        meanMs = (meanMs ?? tookMs) * 0.9 + tookMs * 0.1
        leave()
      }
    },
  }
}

/** Returns the default of `concurrency`. One processor stays free for the event loop. */
export const defaultConcurrency = (processors: number = availableParallelism()): number =>
  Math.min(2, Math.max(1, processors - 1))

const readers = {
  concurrency: createIntegerReader({ min: 1, max: 1_022, default: defaultConcurrency(), unit: 'hashes' }),
  maxQueued: createIntegerReader({ min: 0, max: 100_000, default: 100, unit: 'logins' }),
  queueTimeoutMs: createIntegerReader({ min: 10, max: 60_000, default: 5_000, unit: 'milliseconds' }),
} satisfies OptionReaders<HashingQueueOptions>

// Registered by name, so that several copies of this package in one process share one queue,
// because they have one pool of threads.
const processQueueName = Symbol.for('@jwt-auth/passwords.hashingQueue')

/** Returns the queue of everything in this process that received no other queue. */
export const processQueue = (): HashingQueue => {
  // Only this function writes the member.
  const present = getMember(globalThis, processQueueName) as HashingQueue | undefined
  if (present !== undefined) return present
  const queue = createHashingQueue()
  Object.defineProperty(globalThis, processQueueName, { value: queue })
  return queue
}

import type { SessionStorage } from '../../src/ports/session-storage.js'

type StorageMethod = Exclude<keyof SessionStorage, 'isInProcess' | 'needsNoBatching'>

/** A call that waits until the test settles it. */
interface HeldCall {
  readonly args: readonly unknown[]
  /** Performs the call and resolves with its result. */
  readonly release: () => void
  /** Rejects without performing the call. */
  readonly fail: (reason: unknown) => void
  /** Performs the call, and rejects as if the result was lost. */
  readonly releaseAndFail: (reason: unknown) => void
}

export interface HeldStorage {
  readonly storage: SessionStorage
  /** Holds every further call of these methods. */
  readonly hold: (...methods: readonly StorageMethod[]) => void
  /** Releases the held calls of these methods, and lets further calls pass. */
  readonly letGo: (...methods: readonly StorageMethod[]) => void
  /** Resolves to the held calls of a method, as soon as there are this many. */
  readonly arrivals: (method: StorageMethod, count: number) => Promise<readonly HeldCall[]>
  /** Returns the results of a method so far. */
  readonly answers: (method: StorageMethod) => readonly unknown[]
}

/** Returns a storage whose methods a test can hold. */
export const holdStorage = (storage: SessionStorage): HeldStorage => {
  const heldMethods = new Set<PropertyKey>()
  const queues = new Map<PropertyKey, HeldCall[]>()
  const answered = new Map<PropertyKey, unknown[]>()
  let watchers: (() => boolean)[] = []

  const queueOf = (method: PropertyKey): HeldCall[] => {
    const queue = queues.get(method) ?? []
    queues.set(method, queue)
    return queue
  }

  const perform = async (method: PropertyKey, args: readonly unknown[]): Promise<unknown> => {
    const answer: unknown = await Reflect.apply(Reflect.get(storage, method), storage, args)
    answered.set(method, [...(answered.get(method) ?? []), answer])
    return answer
  }

  const hold = (method: PropertyKey, args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const queue = queueOf(method)
      const leave = (): void => {
        queue.splice(queue.indexOf(call), 1)
      }
      const call: HeldCall = {
        args,
        release: () => {
          leave()
          perform(method, args).then(resolve, reject)
        },
        fail: (reason) => {
          leave()
          reject(reason)
        },
        releaseAndFail: (reason) => {
          leave()
          perform(method, args).then(() => reject(reason), reject)
        },
      }
      queue.push(call)
      watchers = watchers.filter((isDone) => !isDone())
    })

  const gate = (method: PropertyKey, args: readonly unknown[]): Promise<unknown> =>
    heldMethods.has(method) ? hold(method, args) : perform(method, args)

  return {
    storage: new Proxy(storage, {
      get:
        (_, method) =>
        (...args: readonly unknown[]) =>
          gate(method, args),
    }),
    hold: (...methods) => {
      for (const method of methods) heldMethods.add(method)
    },
    letGo: (...methods) => {
      for (const method of methods) {
        heldMethods.delete(method)
        for (const call of [...queueOf(method)]) call.release()
      }
    },
    arrivals: (method, count) =>
      new Promise((resolve) => {
        const isDone = (): boolean => {
          const queue = queueOf(method)
          if (queue.length < count) return false
          resolve([...queue])
          return true
        }
        if (!isDone()) watchers.push(isDone)
      }),
    answers: (method) => answered.get(method) ?? [],
  }
}

import type { SessionStorage } from '@jwt-auth/core'

/** A method of the storage port. */
export type StorageMethod = Exclude<keyof SessionStorage, 'isInProcess' | 'needsNoBatching'>

/** The methods whose effect is a commit. */
export type CommittingMethod = 'create' | 'rotate' | 'end'

/**
 * What happens to the calls of a storage method:
 *
 * - `open`: nothing;
 * - `hold-before`: they wait before anything is sent to the database;
 * - `hold-after`: the database does its work and answers, and the answer waits;
 * - `answer-undefined`: nothing is sent, the answer is `undefined`;
 * - `reject`: nothing is sent, the call rejects.
 */
export type GateMode = 'open' | 'hold-before' | 'hold-after' | 'answer-undefined' | 'reject'

/** A storage whose calls stand in the parent's hand. */
export interface StorageGate {
  readonly storage: SessionStorage
  /** Sets the mode of further calls, and lets go of what is held. */
  readonly set: (methods: readonly StorageMethod[], mode: GateMode) => void
  /** Settles when so many calls of a method are held at once. */
  readonly awaitHeld: (method: StorageMethod, count: number) => Promise<void>
  /** Calls `die` as soon as so many further calls of a method have committed: before the caller hears of the last. */
  readonly dieAfter: (method: CommittingMethod, count: number) => void
}

type Call = () => Promise<unknown>

/** Puts a gate before and behind every method of a storage. */
export const createStorageGate = (storage: SessionStorage, die: () => void): StorageGate => {
  const modes = new Map<PropertyKey, GateMode>()
  const held = new Map<PropertyKey, (() => void)[]>()
  const commitsLeft = new Map<PropertyKey, number>()
  let watchers: (() => boolean)[] = []

  const heldAt = (method: PropertyKey): (() => void)[] => held.get(method) ?? []

  const wait = (method: PropertyKey): Promise<void> =>
    new Promise((resolve) => {
      held.set(method, [...heldAt(method), resolve])
      watchers = watchers.filter((isContent) => !isContent())
    })

  const countCommit = (method: PropertyKey, answer: unknown): void => {
    const left = commitsLeft.get(method)
    if (left === undefined || !hasCommitted(method, answer)) return
    commitsLeft.set(method, left - 1)
    if (left === 1) die()
  }

  const perform = async (method: PropertyKey, call: Call): Promise<unknown> => {
    switch (modes.get(method) ?? 'open') {
      case 'answer-undefined':
        return undefined
      case 'reject':
        throw new Error('The instance was told to fail here.')
      case 'hold-before':
        await wait(method)
        return call()
      case 'hold-after': {
        const answer = await call()
        await wait(method)
        return answer
      }
      case 'open':
        return call()
    }
  }

  const counted =
    (method: PropertyKey, args: readonly unknown[]): Call =>
    async () => {
      const answer: unknown = await Reflect.apply(Reflect.get(storage, method), storage, args)
      countCommit(method, answer)
      return answer
    }

  return {
    storage: new Proxy(storage, {
      get:
        (_, method) =>
        (...args: readonly unknown[]) =>
          perform(method, counted(method, args)),
    }),
    set: (methods, mode) => {
      for (const method of methods) {
        modes.set(method, mode)
        for (const goOn of heldAt(method)) goOn()
        held.delete(method)
      }
    },
    awaitHeld: (method, count) =>
      new Promise((resolve) => {
        const isContent = (): boolean => {
          if (heldAt(method).length < count) return false
          resolve()
          return true
        }
        if (!isContent()) watchers.push(isContent)
      }),
    dieAfter: (method, count) => {
      commitsLeft.set(method, count)
    },
  }
}

const hasCommitted = (method: PropertyKey, answer: unknown): boolean => {
  if (method === 'rotate') return answer === 'rotated'
  if (method !== 'end') return true
  return typeof answer === 'object' && answer !== null && 'outcome' in answer && answer.outcome === 'ended'
}

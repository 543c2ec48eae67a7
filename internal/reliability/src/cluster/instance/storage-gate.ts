import type { SessionStorage } from '@jwt-auth/core'

/** A method of the storage port. */
export type StorageMethod = Exclude<keyof SessionStorage, 'isInProcess' | 'needsNoBatching'>

/** A method that commits. */
export type CommittingMethod = 'create' | 'rotate' | 'end'

/**
 * What a gate does to the calls of a storage method:
 *
 * - `open`: passes them on;
 * - `hold-before`: holds them before anything is sent to the database;
 * - `hold-after`: holds them after the database has answered;
 * - `answer-undefined`: resolves them to `undefined` and sends nothing;
 * - `reject`: rejects them and sends nothing.
 */
export type GateMode = 'open' | 'hold-before' | 'hold-after' | 'answer-undefined' | 'reject'

/** A storage whose calls a test controls. */
export interface StorageGate {
  readonly storage: SessionStorage
  /** Sets the mode of later calls, and releases held calls. */
  readonly set: (methods: readonly StorageMethod[], mode: GateMode) => void
  /** Resolves when so many calls of a method are held. */
  readonly awaitHeld: (method: StorageMethod, count: number) => Promise<void>
  /** Calls `die` after so many further commits of a method, before the last call returns. */
  readonly dieAfter: (method: CommittingMethod, count: number) => void
}

interface State {
  readonly storage: SessionStorage
  readonly die: () => void
  readonly modes: Map<PropertyKey, GateMode>
  /** Functions that release held calls. */
  readonly held: Map<PropertyKey, (() => void)[]>
  readonly commitsLeft: Map<PropertyKey, number>
  /** Each returns whether it has what it waits for. */
  watchers: (() => boolean)[]
}

/** Puts a gate before and after every method of a storage. All methods are open at first. */
export const createStorageGate = (storage: SessionStorage, die: () => void): StorageGate => {
  const state: State = { storage, die, modes: new Map(), held: new Map(), commitsLeft: new Map(), watchers: [] }
  return {
    storage: new Proxy(storage, {
      get:
        (_, method) =>
        (...args: readonly unknown[]) =>
          pass(state, method, args),
    }),
    set: (methods, mode) => {
      for (const method of methods) setMode(state, method, mode)
    },
    awaitHeld: (method, count) => awaitHeld(state, method, count),
    dieAfter: (method, count) => {
      state.commitsLeft.set(method, count)
    },
  }
}

const pass = async (state: State, method: PropertyKey, args: readonly unknown[]): Promise<unknown> => {
  switch (state.modes.get(method) ?? 'open') {
    case 'answer-undefined':
      return undefined
    case 'reject':
      throw new Error('The storage gate rejects this call.')
    case 'hold-before':
      await hold(state, method)
      return call(state, method, args)
    case 'hold-after': {
      const result = await call(state, method, args)
      await hold(state, method)
      return result
    }
    case 'open':
      return call(state, method, args)
  }
}

const call = async (state: State, method: PropertyKey, args: readonly unknown[]): Promise<unknown> => {
  const { storage, commitsLeft, die } = state
  const result: unknown = await Reflect.apply(Reflect.get(storage, method), storage, args)
  const left = commitsLeft.get(method)
  if (left !== undefined && hasCommitted(method, result)) {
    commitsLeft.set(method, left - 1)
    if (left === 1) die()
  }
  return result
}

const hasCommitted = (method: PropertyKey, result: unknown): boolean => {
  if (method === 'rotate') return result === 'rotated'
  if (method !== 'end') return true
  return typeof result === 'object' && result !== null && 'outcome' in result && result.outcome === 'ended'
}

const hold = (state: State, method: PropertyKey): Promise<void> =>
  new Promise((resolve) => {
    state.held.set(method, [...heldAt(state, method), resolve])
    state.watchers = state.watchers.filter((isContent) => !isContent())
  })

const heldAt = ({ held }: State, method: PropertyKey): (() => void)[] => held.get(method) ?? []

const setMode = (state: State, method: PropertyKey, mode: GateMode): void => {
  state.modes.set(method, mode)
  for (const release of heldAt(state, method)) release()
  state.held.delete(method)
}

const awaitHeld = (state: State, method: PropertyKey, count: number): Promise<void> =>
  new Promise((resolve) => {
    const isContent = (): boolean => {
      if (heldAt(state, method).length < count) return false
      resolve()
      return true
    }
    if (!isContent()) state.watchers.push(isContent)
  })

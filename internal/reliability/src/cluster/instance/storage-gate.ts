import type { SessionStorage } from '@jwt-auth/core'
import { createCallGate, type MethodOf } from '@jwt-auth/test-support/call-gate'

/** A method of the storage port. */
export type StorageMethod = MethodOf<SessionStorage>

/** A method that commits. */
export type CommittingMethod = 'create' | 'rotate' | 'end'

/** What a gate does to the calls of a storage method: it passes them on, or holds them before. */
export type GateMode = 'open' | 'hold'

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

/** Puts a gate before and after every method of a storage. All methods are open at first. */
export const createStorageGate = (storage: SessionStorage, die: () => void): StorageGate => {
  const commitsLeft = new Map<CommittingMethod, number>()
  const countCommit = (method: CommittingMethod): void => {
    const left = commitsLeft.get(method)
    if (left === undefined) return
    commitsLeft.set(method, left - 1)
    if (left === 1) die()
  }
  const gate = createCallGate(countingCommits(storage, countCommit))
  return {
    storage: gate.port,
    set: (methods, mode) => {
      gate.open(...methods)
      if (mode === 'hold') gate.hold(...methods)
    },
    awaitHeld: async (method, count) => {
      await gate.held(method, count)
    },
    dieAfter: (method, count) => {
      commitsLeft.set(method, count)
    },
  }
}

const countingCommits = (storage: SessionStorage, onCommit: (method: CommittingMethod) => void): SessionStorage => ({
  ...storage,
  create: async (session, options) => {
    await storage.create(session, options)
    onCommit('create')
  },
  rotate: async (rotation, options) => {
    const outcome = await storage.rotate(rotation, options)
    if (outcome === 'rotated') onCommit('rotate')
    return outcome
  },
  end: async (sessionId, end, options) => {
    const result = await storage.end(sessionId, end, options)
    if (result.outcome === 'ended') onCommit('end')
    return result
  },
})

import type { SessionStorage } from '@jwt-auth/core'
import { type CallGate, createCallGate } from '@jwt-auth/test-support/call-gate'

/** A method that commits. */
export type CommittingMethod = 'create' | 'rotate' | 'end'

/** A storage whose calls a test controls. */
export interface StorageGate extends Pick<CallGate<SessionStorage>, 'port' | 'hold' | 'open' | 'held'> {
  /** Calls `die` after the next commit of a method, before its call returns. */
  readonly dieAfter: (method: CommittingMethod) => void
}

/** Puts a gate before every method of a storage. All methods are open at first. */
export const createStorageGate = (storage: SessionStorage, die: () => void): StorageGate => {
  let lastMethod: CommittingMethod | undefined
  const onCommit = (method: CommittingMethod): void => {
    if (method === lastMethod) die()
  }
  const gate = createCallGate(observeCommits(storage, onCommit))
  return {
    ...gate,
    dieAfter: (method) => {
      lastMethod = method
    },
  }
}

const observeCommits = (storage: SessionStorage, onCommit: (method: CommittingMethod) => void): SessionStorage => ({
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

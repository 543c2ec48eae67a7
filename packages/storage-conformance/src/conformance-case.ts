import type { SessionStorage } from '@jwt-auth/core'

/** One promise of the storage port, and how to see whether an adapter keeps it. */
export interface ConformanceCase {
  /** The promise, as a sentence; unique. */
  readonly title: string
  /** Runs on an empty storage; rejects with an `AssertionError` when the promise is broken. */
  readonly run: (storage: SessionStorage) => Promise<void>
}

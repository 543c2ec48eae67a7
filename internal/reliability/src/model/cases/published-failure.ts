import type { Subject } from '../model-instance.js'

/** A failure that other products have shipped. */
export interface PublishedFailure {
  /** What must not happen. */
  readonly name: string
  /** Rejects when the service under test has the failure. */
  readonly run: (subject: Subject) => Promise<void>
}

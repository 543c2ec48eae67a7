import type { Subject } from '../world.js'

/** A failure that other products shipped, made impossible: rejects where the service under test has it. */
export interface PublishedFailure {
  /** What does not happen. */
  readonly name: string
  readonly run: (subject: Subject) => Promise<void>
}

import type { CallOptions, EpochMs } from '../system.js'

/** A count of attempts, and the length of its windows. */
export interface LimitCount {
  /** Names the count: 1 to 100 ASCII characters. */
  readonly key: string
  /** How long a window lasts. A window starts with its first attempt. */
  readonly durationSeconds: number
}

/** The present window of a count. */
export interface LimitWindow {
  /** Names the count. */
  readonly key: string
  /** The attempts that were counted in this window and were not refunded. */
  readonly count: number
  /** When the window ends. */
  readonly endsAt: EpochMs
}

/** A key that stays marked until an instant. */
export interface LimitMark {
  /** Names the mark: 1 to 100 ASCII characters. No count has this name. */
  readonly key: string
  /** When the mark ends. */
  readonly endsAt: EpochMs
}

/** The options of {@link Limiter.reserve}. */
export interface ReserveOptions extends CallOptions {
  /** The current instant. A limiter reads no clock. */
  readonly now: EpochMs
  /** The key of a mark to look up. @default no mark is looked up */
  readonly mark?: string | undefined
}

/** What {@link Limiter.reserve} resolves to. */
export interface ReservedCounts {
  /** The windows after the attempt was added, in the order of the counts. */
  readonly windows: readonly LimitWindow[]
  /** Whether the mark exists and has not ended. */
  readonly isMarked: boolean
}

/** The options of {@link Limiter.refund}. */
export interface RefundOptions extends CallOptions {
  /** The current instant. */
  readonly now: EpochMs
  /** A mark to set. A mark never ends earlier than it would have before. @default no mark is set */
  readonly mark?: LimitMark | undefined
}

/**
 * The port to a store of counts. The storages for SQL and Redis have one (`storage.limiter`). A
 * limiter only counts, and its caller compares the counts with the limits. A call that fails
 * rejects.
 */
export interface Limiter {
  /**
   * Adds one attempt to each count. Starts a new window where the last one has ended. Each count
   * changes atomically: of concurrent calls on any number of instances, no two receive the same
   * number of one window. No key occurs twice in a call.
   */
  reserve(counts: readonly LimitCount[], options: ReserveOptions): Promise<ReservedCounts>
  /**
   * Takes one attempt back from each of these windows, and sets a mark. A window that has been
   * replaced by a later one is not changed, and neither is the later one. A window without attempts
   * ends: otherwise its end would reveal when somebody logged in.
   */
  refund(windows: readonly LimitWindow[], options: RefundOptions): Promise<void>
}

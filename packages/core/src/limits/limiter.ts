/** How often something may be tried within a window that begins with the first try. */
export interface Limit {
  /** Tries within one window. */
  readonly points: number
  readonly durationSeconds: number
}

/** Returns a limit of so many times the points, rounded down and at least one, in the same time. */
export const multiplyLimit = ({ points, durationSeconds }: Limit, factor: number): Limit => ({
  points: Math.max(1, Math.floor(points * factor)),
  durationSeconds,
})

/** What a limiter knows of a key, in the words of rate-limiter-flexible. */
export interface LimiterState {
  readonly consumedPoints: number
  /** Until the window ends, in milliseconds. */
  readonly msBeforeNext: number
}

/**
 * The port to whatever counts. The limiters of rate-limiter-flexible have this shape (`RateLimiterRedis`,
 * `RateLimiterPostgres`, …), and any other may. Each call is atomic: of any number of callers at once, no more than the
 * limit hear yes.
 */
export interface Limiter {
  /** Takes a point. Rejects with the state, which is no `Error`, when none is left; with an `Error` when it can't count. */
  consume(key: string, points?: number): Promise<LimiterState>
  /** Gives a point back. */
  reward(key: string, points?: number): Promise<LimiterState>
  /** Takes a point and never refuses. */
  penalty(key: string, points?: number): Promise<LimiterState>
  /** `null` for a key without a window. */
  get(key: string): Promise<LimiterState | null>
  /** Begins a window of its own length, with so many points taken. */
  set(key: string, points: number, secDuration: number): Promise<LimiterState>
}

/**
 * What a limiter is made from, in the words of rate-limiter-flexible, so that it can be spread into one of its
 * constructors.
 */
export interface LimiterOptions {
  /** Keeps the keys of one limit apart from those of another. */
  readonly keyPrefix: string
  readonly points: number
  /** In seconds. */
  readonly duration: number
}

/** Makes the limiter behind one limit. */
export type CreateLimiter = (options: LimiterOptions) => Limiter

/** Whether a limiter's rejection says that no point is left, rather than that it failed. */
export const isRefusal = (thrown: unknown): thrown is LimiterState =>
  typeof thrown === 'object' &&
  thrown !== null &&
  !(thrown instanceof Error) &&
  'msBeforeNext' in thrown &&
  typeof thrown.msBeforeNext === 'number'

/** What a history is judged by. */
export interface HistorySettings {
  /** The grace window of replaced refresh tokens, in milliseconds, as the service was told. */
  readonly graceMs: number
  /** The most by which the clocks of instances differ from one another, in milliseconds. @default 0 */
  readonly clockDifferenceMs?: number
}

/** How many replaced tokens a session remembers (docs/decisions/0002). */
export const mostRecentTokens = 8

/** What a history is judged by. */
export interface HistorySettings {
  /** The grace window of replaced refresh tokens, in milliseconds, as the service was told. */
  readonly graceMs: number
  /** The most by which the clocks of instances differ from one another, in milliseconds. @default 0 */
  readonly clockDifferenceMs?: number
  /** How long after its end a request that failed or was lost may still take effect, in milliseconds. @default 0 */
  readonly lateEffectMs?: number
  /** The option of this name of the service. @default without limit */
  readonly maxSessionsPerUser?: number
}

/** How many replaced tokens a session remembers (docs/decisions/0002). */
export const mostRecentTokens = 8

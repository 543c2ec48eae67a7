/** How long things live, in whole seconds, and how many there may be. */
export interface SessionPolicy {
  readonly accessTokenSeconds: number
  readonly sessionIdleSeconds: number
  readonly sessionMaxSeconds: number
  readonly refreshGraceSeconds: number
  /** How many active sessions a user may have. */
  readonly maxSessionsPerUser: number
}

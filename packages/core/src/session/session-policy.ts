/** How long things live, in whole seconds, and how many there may be. */
export interface SessionPolicy {
  readonly accessTokenLifetimeSeconds: number
  readonly sessionIdleTimeoutSeconds: number
  readonly sessionAbsoluteTimeoutSeconds: number
  readonly refreshGraceSeconds: number
  /** Whether a repeat from another network than the last refresh ends the session. */
  readonly endSessionOnRepeatFromOtherNetwork: boolean
  /** How many active sessions a user may have. */
  readonly maxSessionsPerUser: number
}

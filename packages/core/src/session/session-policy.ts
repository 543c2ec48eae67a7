/** How long things live. All in whole seconds. */
export interface SessionPolicy {
  readonly accessTokenSeconds: number
  readonly sessionIdleSeconds: number
  readonly sessionMaxSeconds: number
  readonly refreshGraceSeconds: number
}

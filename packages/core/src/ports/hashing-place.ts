/** The place of a password check in the hashing queue. */
export interface HashingPlace {
  /** Whether the user has logged in from this network before. The queue serves such checks first. */
  readonly isKnown: boolean
  /** The client's network: an IPv4 address, the /64 of an IPv6 address, or `unknown`. Networks take turns. */
  readonly network: string
  /** A key of the user, for known pairs: among them users take turns, and networks do. @default networks take turns */
  readonly user?: string | undefined
  /** Aborts when the client has disconnected. The queue drops a check that has not started. */
  readonly signal?: AbortSignal | undefined
}

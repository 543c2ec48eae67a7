/** A login to the account of the victim. */
export interface Attempt {
  readonly address: string
  readonly isRightPassword: boolean
  /** Seconds since the start of the day. */
  readonly second: number
}

/** The outcome of an attempt. */
export type Outcome = 'success' | 'wrong' | { readonly waitSeconds: number }

/** A limit on attempts. */
export interface Defence {
  readonly attempt: (attempt: Attempt) => Promise<Outcome>
}

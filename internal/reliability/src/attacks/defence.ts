/** A login as a defence sees it: always to the victim's account. */
export interface Attempt {
  readonly address: string
  readonly isRightPassword: boolean
  /** Seconds since the day began. */
  readonly second: number
}

/** What came of it. */
export type Outcome = 'let in' | 'wrong' | { readonly waitSeconds: number }

/** Something that stands between attempts and the password. */
export interface Defence {
  readonly attempt: (attempt: Attempt) => Promise<Outcome>
}

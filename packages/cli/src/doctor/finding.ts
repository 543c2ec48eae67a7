/** What a check found. */
export interface Finding {
  /** `problem`: something must change. `unknown`: something could not be checked. */
  readonly level: 'ok' | 'problem' | 'unknown'
  /** What was checked, such as `limits`. */
  readonly check: string
  /** What is the case, and the fix of a problem. */
  readonly message: string
}

/** Returns a problem if the condition is true, and otherwise that all is well. */
export const findProblem = (check: string, isProblem: boolean, message: string): Finding =>
  isProblem ? { level: 'problem', check, message } : { level: 'ok', check, message: 'as it should be' }

/** Returns that something could not be checked. */
export const unknown = (check: string, message: string): Finding => ({ level: 'unknown', check, message })

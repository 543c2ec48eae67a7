/** The steps of one schedule, and the first promise that it broke. */
export interface Journal {
  readonly steps: readonly string[]
  readonly note: (step: string) => void
  /** Records a broken promise. Only the first one counts. */
  readonly reportViolation: (violation: string) => void
  readonly violation: () => string | undefined
}

/** Creates an empty journal. */
export const createJournal = (): Journal => {
  const steps: string[] = []
  let first: string | undefined
  return {
    steps,
    note: (step) => {
      steps.push(step)
    },
    reportViolation: (violation) => {
      first ??= violation
    },
    violation: () => first,
  }
}

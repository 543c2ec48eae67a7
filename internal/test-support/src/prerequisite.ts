/**
 * Something outside the repository that some tests need: a database server, or an installed
 * program.
 */
export interface Prerequisite {
  readonly name: string
  /**
   * Why the tests cannot use it and how to provide it, in sentences; `undefined` when it can be
   * used.
   */
  readonly missing?: string | undefined
}

/** Returns whether tests can use a prerequisite. */
export const isPresent = ({ missing }: Prerequisite): boolean => missing === undefined

/**
 * Returns the explanation of a missing prerequisite, and `undefined` when the prerequisite is
 * present.
 *
 * @throws Error with the explanation when the variable `REQUIRE_DATABASES` is `1`: then no test may
 *   be skipped.
 */
export const explainMissing = (isPresent: boolean, explanation: string): string | undefined => {
  if (isPresent) return undefined
  if (process.env['REQUIRE_DATABASES'] === '1') throw new Error(`REQUIRE_DATABASES is set, but ${explanation}`)
  return explanation
}

import { describe, type SuiteOptions } from 'vitest'
import { isPresent, type Prerequisite } from './prerequisite.js'

declare module 'vitest' {
  interface TaskMeta {
    /** Why the suite is skipped and how to enable it, for the summary at the end of the run. */
    missing?: string
  }
}

/**
 * Declares a suite for each prerequisite. The suite of a missing prerequisite is skipped, and the
 * summary at the end of the run says why.
 *
 * @param title the suite's title; `$name` stands for the prerequisite's name
 *
 * @example
 * describeEach(await findDatabases(), 'knex storage on $name', ({ createDatabase }) => { … })
 */
export const describeEach = <Needed extends Prerequisite>(
  needed: readonly Needed[],
  title: string,
  declare: (one: Needed) => void | Promise<void>,
): void => {
  for (const one of needed) describe(title.replace('$name', one.name), needs(one), () => declare(one))
}

/**
 * Returns the options that skip a test or a suite without its prerequisite.
 *
 * @example
 * it('cancels the statement', needs(postgres), async () => { … })
 */
export const needs = (one: Prerequisite): SuiteOptions =>
  isPresent(one) ? {} : { skip: true, meta: { missing: one.missing ?? '' } }

import { isPromise } from '@jwt-auth/core/adapter'
import type { Knex } from 'knex'

/**
 * Checks that a value is a knex instance.
 *
 * @throws TypeError that names the function and the fix
 */
export const requireKnex = (caller: string, knex: Knex): void => {
  if (typeof knex?.raw === 'function') return
  // The module `knex` exports a function that creates instances.
  const fix = isPromise(knex)
    ? 'await the promise that you passed, or create one'
    : typeof knex === 'function'
      ? 'call the function that you passed'
      : 'create one'
  throw new TypeError(
    `jwt-auth: ${caller} must be given a knex instance; ${fix}: \`${caller}(knex({ client, connection }))\`.`,
  )
}

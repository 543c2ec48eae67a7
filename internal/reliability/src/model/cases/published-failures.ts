import type { PublishedFailure } from './published-failure.js'
import { refreshFailures } from './refresh-failures.js'
import { revocationFailures } from './revocation-failures.js'

/** Every published failure that has a case, each under its permanent name. */
export const publishedFailures: readonly PublishedFailure[] = [...refreshFailures, ...revocationFailures]

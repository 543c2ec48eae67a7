import type { PublishedFailure } from '../rig.js'
import { refreshFailures } from './refresh-failures.js'
import { revocationFailures } from './revocation-failures.js'

/** All published failures that have a case. docs/reliability-tests.md lists them in this order. */
export const publishedFailures: readonly PublishedFailure[] = [...refreshFailures, ...revocationFailures]

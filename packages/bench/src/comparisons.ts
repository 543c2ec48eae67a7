import type { Comparison } from './comparison.js'
import { guard } from './comparisons/guard.js'
import { login } from './comparisons/login.js'
import { lookup } from './comparisons/lookup.js'
import { refresh } from './comparisons/refresh.js'
import { verify } from './comparisons/verify.js'

/** Everything that can be compared, in the order of the report. */
export const comparisons: readonly Comparison[] = [guard, verify, lookup, login, refresh]

import type { Comparison } from './comparison.js'
import { guard } from './comparisons/guard.js'
import { importCost } from './comparisons/import.js'
import { login } from './comparisons/login.js'
import { refresh } from './comparisons/refresh.js'
import { verify } from './comparisons/verify.js'

/** All comparisons, in the order of docs/performance.md. */
export const comparisons: readonly Comparison[] = [guard, verify, login, refresh, importCost]

import type { Comparison } from './comparison.js'
import { guard } from './comparisons/guard.js'

/** Everything that can be compared, in the order of the report. */
export const comparisons: readonly Comparison[] = [guard]

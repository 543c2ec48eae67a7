import type { Comparison } from './comparison.js'
import { client } from './comparisons/client.js'
import { fairness } from './comparisons/fairness.js'
import { flood } from './comparisons/flood.js'
import { guard } from './comparisons/guard.js'
import { importCost } from './comparisons/import.js'
import { login } from './comparisons/login.js'
import { lookup } from './comparisons/lookup.js'
import { parts } from './comparisons/parts.js'
import { refresh } from './comparisons/refresh.js'
import { verify } from './comparisons/verify.js'

/** All comparisons, in the order of docs/performance.md. */
export const comparisons: readonly Comparison[] = [
  guard,
  parts,
  verify,
  lookup,
  login,
  flood,
  fairness,
  refresh,
  importCost,
  client,
]

import { logins } from './logins.js'
import type { OperationContender } from './operation.js'
import { refreshes } from './refreshes.js'

/** The contenders for operations, by group and name. */
export const operations: Readonly<Record<string, Readonly<Record<string, OperationContender>>>> = {
  'bcrypt cost 4': logins(4),
  'bcrypt cost 10': logins(10),
  'bcrypt cost 12': logins(12),
  refresh: refreshes,
}

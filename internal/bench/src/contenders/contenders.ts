import { findSharedStores } from '../world/shared-stores.js'
import { checks } from './checks.js'
import type { OperationContender } from './contender.js'
import { guards } from './guards.js'
import { journeys } from './journeys.js'
import { logins } from './logins.js'
import { refreshes } from './refreshes.js'
import { firstVerifications } from './verifications.js'

/** The contenders for operations, by group and name. */
export const operations = {
  'first-verification': firstVerifications,
  check: checks,
  login: logins,
  refresh: refreshes,
} satisfies Readonly<Record<string, Readonly<Record<string, OperationContender>>>>

/** A group of contenders for one operation. */
export type OperationGroup = keyof typeof operations

/** Throws when one of the names is no contender. */
export const requireContenders = (names: readonly string[]): void => {
  const ofOperations = [guards, journeys, ...Object.values(operations)].flatMap(Object.keys)
  const known = [...new Set([...ofOperations, ...findSharedStores().map(({ key }) => key)])].sort()
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new Error(`Unknown contender ${unknown}. The contenders are ${known.join(', ')}.`)
}

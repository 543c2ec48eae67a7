import { randomBytes } from 'node:crypto'

const keptMs = 60 * 60 * 1_000

/** Creates a name for a database of the tests. The name contains the time of creation. */
export const createDatabaseName = (now: number = Date.now()): string =>
  `jwt_auth_${Math.floor(now / 1_000).toString(36)}_${randomBytes(6).toString('hex')}`

/** Returns whether a database is one that tests created more than an hour ago. */
export const isLeftOver = (name: string, now: number = Date.now()): boolean => {
  const [, seconds] = /^jwt_auth_([0-9a-z]{6,7})_[0-9a-f]{12}$/.exec(name) ?? []
  return seconds !== undefined && Number.parseInt(seconds, 36) * 1_000 < now - keptMs
}

import { createHash } from 'node:crypto'
import type { Outcome } from '../../../src/history/operation.js'
import type { Grant } from '../../../src/history/operation-log.js'

/** Returns the number of outcomes of each kind. */
export const countKinds = (outcomes: readonly Outcome[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { kind } of outcomes) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}

const selectorBytes = 16

/**
 * Returns the hash of a refresh token in the record of its session: the SHA-256 of the bytes after
 * the selector (docs/design/refresh-tokens.md).
 */
export const verifierHashOf = ({ refreshToken }: Grant): string => {
  const bytes = Buffer.from(refreshToken.replace('jwtauth_rt_', ''), 'base64url')
  return createHash('sha256').update(bytes.subarray(selectorBytes)).digest('base64url')
}

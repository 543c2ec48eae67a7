import { createHash } from 'node:crypto'
import type { Grant } from '../../../src/history/operation-log.js'

const selectorBytes = 16

/** What a session's record holds of a refresh token: the SHA-256 of what follows the selector (docs/decisions/0002). */
export const verifierHashOf = ({ refreshToken }: Grant): string => {
  const bytes = Buffer.from(refreshToken.replace('jwtauth_rt_', ''), 'base64url')
  return createHash('sha256').update(bytes.subarray(selectorBytes)).digest('base64url')
}

import { createHmac } from 'node:crypto'
import type { RefreshToken } from './refresh-token.js'

/** Length of a salt, in bytes. */
export const saltBytes = 16

/** What a successor is derived from, beside the token that it replaces. */
export interface Derivation {
  readonly salt: Buffer
  /** A secret of the service, which is not in storage: a replaced token and a copy of storage do not lead to the successor. */
  readonly serviceSecret: Buffer
}

/** Derives the refresh token that replaces another one: the same inputs give the same token (docs/decisions/0002). */
export const deriveSuccessor = (
  { selector, verifier }: RefreshToken,
  { salt, serviceSecret }: Derivation,
): RefreshToken => {
  const key = createHmac('sha256', serviceSecret).update(verifier).digest()
  return { selector, verifier: createHmac('sha256', key).update(salt).update(selector).digest() }
}

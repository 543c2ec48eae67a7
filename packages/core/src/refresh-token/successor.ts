import { createHmac } from 'node:crypto'
import type { RefreshToken } from './refresh-token.js'

/** Length of a salt, in bytes. */
export const saltBytes = 16

/**
 * The refresh token that follows one: HMAC-SHA-256, keyed by the old verifier, over salt ‖ selector. Whoever holds the
 * old token and knows the salt finds the same successor again; the salt alone says nothing.
 */
export const deriveSuccessor = ({ selector, verifier }: RefreshToken, salt: Buffer): RefreshToken => ({
  selector,
  verifier: createHmac('sha256', verifier).update(salt).update(selector).digest(),
})

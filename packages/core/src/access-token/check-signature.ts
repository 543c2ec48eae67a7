import type { VerificationKey } from '../keys/ring-key.js'
import type { JwsParts } from './compact-jws.js'

/**
 * Returns whether a token has a valid signature of this key. The token's `alg` is compared with the key's algorithm, and the length
 * of the signature with the one length that the key's signatures have, before anything is computed.
 */
export const isSignedBy = (jws: JwsParts, alg: unknown, key: VerificationKey): boolean => {
  if (alg !== key.algorithm) return false
  const signature = Buffer.from(jws.signature, 'base64url')
  return signature.length === key.signatureBytes && key.isValid(jws.signingInput, signature)
}

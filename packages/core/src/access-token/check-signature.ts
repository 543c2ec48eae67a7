import type { VerificationKey } from '../keys/ring-key.js'
import type { Signer } from '../keys/signer.js'
import { type JwsParts, measureSignature } from './compact-jws.js'

/**
 * Whether a token carries this key's signature. Its `alg` is compared with the key's own, and its signature has the one length
 * that key's have, before the signer is asked: some libraries throw at a signature of another length.
 */
export const isSignedBy = (
  jws: JwsParts,
  { alg, key, signer }: { readonly alg: unknown; readonly key: VerificationKey; readonly signer: Signer },
): boolean =>
  alg === key.algorithm &&
  measureSignature(jws) === key.signatureBytes &&
  // A host's own signer may be JavaScript: a promise is no `true`.
  signer.isSignedBy(jws.token, key) === true

import { createPublicKey, type KeyObject } from 'node:crypto'
import { keyRequirements, type PublicKeyAlgorithm } from './algorithm.js'
import { checkPublicKey } from './check-public-key.js'
import { deriveServiceSecret } from './derive-secret.js'
import { importKey } from './import-key.js'
import type { KeyState } from './key-entry.js'
import { toPublicJwk } from './public-jwk.js'
import type { RingKey, VerificationKey } from './ring-key.js'
import { wrongKey } from './wrong-key.js'

/**
 * Reads one key of a key pair, in whatever form, or says what is wrong with it and what to do, without showing it. A private
 * key under the state `verify` is dropped once its public half and its service secret are known.
 */
export const readKeyPair = (
  name: string,
  material: unknown,
  { algorithm, state }: { readonly algorithm: PublicKeyAlgorithm; readonly state: KeyState },
): RingKey => {
  const key = importKey(name, material, { algorithm, state })
  if (key.type === 'secret') {
    throw wrongKey(name, `is a secret, and ${algorithm} needs a key pair`, "use 'HS256' with it, or give PEM text.")
  }
  if (state === 'active' && key.type !== 'private') {
    throw wrongKey(name, 'is a public key, and the active key signs', "give its private key, or the state 'verify'.")
  }
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  const verification = toVerificationKey(name, publicKey, algorithm)
  const { kid } = verification
  return {
    verification,
    signing: state === 'active' ? { kid, algorithm, key } : undefined,
    serviceSecret: key.type === 'private' ? deriveServiceSecret({ key }) : undefined,
  }
}

const toVerificationKey = (name: string, key: KeyObject, algorithm: PublicKeyAlgorithm): VerificationKey => {
  const publicJwk = toPublicJwk(checkPublicKey(name, key, algorithm), keyRequirements[algorithm].keyType, algorithm)
  return { kid: publicJwk.kid, algorithm, key, signatureBytes: measureSignature(key, algorithm), publicJwk }
}

// RFC 7518, sections 3.3 to 3.5.
const measureSignature = (key: KeyObject, algorithm: PublicKeyAlgorithm): number => {
  const requirement = keyRequirements[algorithm]
  if (requirement.keyType === 'ec') return requirement.signatureBytes
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)
}

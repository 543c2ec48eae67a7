import { createPublicKey, type KeyObject } from 'node:crypto'
import { keyRequirements, type PublicKeyAlgorithm } from './algorithm.js'
import { checkPublicKey } from './check-public-key.js'
import { deriveServiceSecret } from './derive-secret.js'
import { importKey } from './import-key.js'
import type { KeyState } from './key-entry.js'
import { toPublicJwk } from './public-jwk.js'
import type { RingKey, VerificationKey } from './ring-key.js'
import { createSignatureCheck } from './signature.js'
import type { Signer } from './signer.js'
import { wrongKey } from './wrong-key.js'

/**
 * Reads one key of a key pair. Drops the private half of a key that only verifies, after deriving its service secret.
 *
 * @throws TypeError that says what is wrong with the key and how to fix it, without showing the key
 */
export const readKeyPair = (
  name: string,
  material: unknown,
  {
    algorithm,
    state,
    signer,
  }: { readonly algorithm: PublicKeyAlgorithm; readonly state: KeyState; readonly signer?: Signer | undefined },
): RingKey => {
  const key = importKey(name, material, { algorithm, state })
  if (key.type === 'secret') {
    throw wrongKey(name, `is a secret, and ${algorithm} needs a key pair`, "use 'HS256' with it, or give PEM text.")
  }
  if (state === 'active') checkHalf(name, key, signer)
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  const verification = toVerificationKey(name, publicKey, algorithm)
  const serviceSecret = key.type === 'private' ? deriveServiceSecret({ key }) : undefined
  if (state === 'verify') return { verification, signing: undefined, serviceSecret }
  const { kid } = verification
  const signing = signer === undefined ? { kid, algorithm, key } : { kid, algorithm, signer }
  return { verification, signing, serviceSecret }
}

const checkHalf = (name: string, { type }: KeyObject, signer: Signer | undefined): void => {
  if (signer !== undefined && type === 'private') {
    throw wrongKey(name, 'is a private key, and `signer` signs', 'give its public key, or omit `signer`.')
  }
  if (signer !== undefined || type === 'private') return
  throw wrongKey(
    name,
    'is a public key, and the active key signs',
    "give its private key, the state 'verify', or a `signer` that has the private key.",
  )
}

const toVerificationKey = (name: string, key: KeyObject, algorithm: PublicKeyAlgorithm): VerificationKey => {
  const publicJwk = toPublicJwk(checkPublicKey(name, key, algorithm), keyRequirements[algorithm].keyType, algorithm)
  return {
    kid: publicJwk.kid,
    algorithm,
    key,
    isValid: createSignatureCheck(algorithm, key),
    signatureBytes: measureSignature(key, algorithm),
    publicJwk,
  }
}

// RFC 7518, sections 3.3 to 3.5; RFC 8032, section 5.1.6.
const measureSignature = (key: KeyObject, algorithm: PublicKeyAlgorithm): number => {
  const requirement = keyRequirements[algorithm]
  if (requirement.keyType === 'ec') return requirement.signatureBytes
  if (requirement.keyType === 'ed25519') return 64
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)
}

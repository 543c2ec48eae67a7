import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { invalidOption } from '../option-checks.js'
import { keyRequirements, type PublicKeyAlgorithm } from './algorithm.js'
import { checkPublicKey } from './check-public-key.js'
import { importKey, type KeyUse } from './import-key.js'
import type { Signer } from './key-entry.js'
import { deriveServiceSecret, type PublicJwk, type RingKey, type VerificationKey } from './ring-key.js'
import { createSignatureCheck } from './signature.js'

/**
 * Reads one key of a key pair. Drops the private half of a key that only verifies, after deriving its service secret.
 *
 * @throws TypeError that names the problem and the fix, and never shows the key
 */
export const readKeyPair = (
  name: string,
  material: unknown,
  use: KeyUse & { readonly algorithm: PublicKeyAlgorithm; readonly signer?: Signer | undefined },
): RingKey => {
  const { algorithm, state, signer } = use
  const key = importKey(name, material, use)
  if (key.type === 'secret') {
    throw invalidOption(
      name,
      `is a secret, and ${algorithm} needs a key pair`,
      "set the algorithm 'HS256', or pass a key.",
    )
  }
  if (state === 'active') checkHalf(name, key, signer)
  const verification = toVerificationKey(name, key.type === 'private' ? createPublicKey(key) : key, algorithm)
  const serviceSecret = key.type === 'private' ? deriveServiceSecret(key) : undefined
  if (state === 'verify') return { verification, signing: undefined, serviceSecret }
  const { kid } = verification
  const signing = signer === undefined ? { kid, algorithm, key } : { kid, algorithm, signer }
  return { verification, signing, serviceSecret }
}

const checkHalf = (name: string, { type }: KeyObject, signer: Signer | undefined): void => {
  if (signer !== undefined && type === 'private') {
    throw invalidOption(name, 'is a private key, but `signer` signs', 'pass its public key, or omit `signer`.')
  }
  if (signer !== undefined || type === 'private') return
  throw invalidOption(
    name,
    'is a public key, but the active key signs',
    "pass its private key, set the state 'verify', or set a `signer` that has the private key.",
  )
}

const toVerificationKey = (name: string, key: KeyObject, algorithm: PublicKeyAlgorithm): VerificationKey => {
  const publicJwk = toPublicJwk(checkPublicKey(name, key, algorithm), algorithm)
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

// The members that a thumbprint covers, in its order (RFC 7638, section 3.2; RFC 8037, section 2). Picking them by name keeps
// private members out of what is published.
const requiredMembers = { rsa: ['e', 'kty', 'n'], ec: ['crv', 'kty', 'x', 'y'], ed25519: ['crv', 'kty', 'x'] } as const

const toPublicJwk = (key: KeyObject, algorithm: PublicKeyAlgorithm): PublicJwk => {
  const jwk = key.export({ format: 'jwk' })
  const names = requiredMembers[keyRequirements[algorithm].keyType]
  const required = Object.fromEntries(names.map((name) => [name, String(jwk[name])]))
  const kid = createHash('sha256').update(JSON.stringify(required)).digest('base64url')
  return { ...required, kty: String(jwk.kty), kid, alg: algorithm, use: 'sig' }
}

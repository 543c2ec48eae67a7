import { LRUCache } from 'lru-cache'
import { isSignedBy, parseJwsParts } from '../access-token/compact-jws.js'
import { isObject, parseStrictObject, type StrictObject } from '../access-token/strict-json.js'
import { AuthError } from '../errors/auth-error.js'
import { proofAlgorithms } from '../errors/error-table.js'
import type { RingKey } from '../keys/key.js'
import { readKeyPair } from '../keys/read-key-pair.js'

/** A proof with a valid header. Neither its claims nor its signature have been checked. */
export interface ParsedProof {
  /** The claims. */
  readonly claims: StrictObject
  /**
   * Checks the signature (RFC 9449, section 4.3, checks 6 and 7).
   *
   * @throws AuthError `jwt_auth_invalid_dpop_proof`
   */
  readonly verify: () => ProofKey
}

/** The key that signed a proof. */
export interface ProofKey {
  /** The RFC 7638 thumbprint of the key. */
  readonly thumbprint: string
  /** Keeps the key, so that the next proof of the client does not import it again. */
  readonly keep: () => void
}

// A proof has about 600 characters. Most of the others are the URL.
const maxProofLength = 4_096

// All proofs of a client have the same header. Importing a key takes longer than checking a
// signature. A key takes about 6 KB.
const maxKeys = 5_000

/**
 * Creates the function that parses a proof (RFC 9449, section 4.3, checks 1 to 5). It keeps the
 * keys of the last 5,000 clients.
 *
 * @throws AuthError `jwt_auth_invalid_dpop_proof`
 */
export const createProofParser = (): ((proof: string) => ParsedProof) => {
  // With `max`, the cache would reserve the memory of all entries.
  const keys = new LRUCache<string, RingKey>({ maxSize: maxKeys, sizeCalculation: () => 1 })
  return (proof) => {
    const jws = proof.length > maxProofLength ? undefined : parseJwsParts(proof)
    if (jws === undefined) throw invalidProof('it is not one compact JWS, or too long')
    const known = keys.get(jws.header)
    const readKey = known === undefined ? parseHeader(jws.header) : () => known
    const claims = parseStrictObject(Buffer.from(jws.payload, 'base64url'))
    if (claims === undefined) throw invalidProof('its claims are no JSON object')
    const verify = (): ProofKey => {
      const key = readKey()
      if (!isSignedBy(jws, key.algorithm, key)) throw invalidProof('its signature is not valid')
      return { thumbprint: key.kid, keep: () => void keys.set(jws.header, key) }
    }
    return { claims, verify }
  }
}

// Returns the function that imports the key.
const parseHeader = (encoded: string): (() => RingKey) => {
  const { typ, alg, jwk, crit } = parseStrictObject(Buffer.from(encoded, 'base64url')) ?? {}
  if (typ !== 'dpop+jwt') throw invalidProof('its `typ` is not dpop+jwt')
  const algorithm = proofAlgorithms.find((known) => known === alg)
  if (algorithm === undefined) throw invalidProof(`its \`alg\` is not one of ${proofAlgorithms.join(', ')}`)
  if (crit !== undefined) throw invalidProof('it has a critical extension')
  if (!isObject(jwk)) throw invalidProof('its `jwk` is no object')
  if (privateMembers.some((name) => Object.hasOwn(jwk, name))) throw invalidProof('its `jwk` is a private key')
  return () => importKey(jwk, algorithm)
}

// RFC 7518, sections 6.2.2, 6.3.2 and 6.4.
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const importKey = (jwk: StrictObject, algorithm: (typeof proofAlgorithms)[number]): RingKey => {
  try {
    const key = readKeyPair('jwk', jwk, { algorithm, state: 'verify' })
    // The thumbprint is that of the canonical key.
    const isCanonical = ['kty', 'crv', 'x', 'y'].every((name) => jwk[name] === key.publicJwk?.[name])
    if (isCanonical) return key
  } catch {
    // The key is not valid.
  }
  throw invalidProof(`its \`jwk\` is no public key for ${algorithm}`)
}

/** Creates the error for a proof that is not valid. */
export const invalidProof = (reason: string): AuthError =>
  new AuthError('jwt_auth_invalid_dpop_proof', { detail: `the DPoP proof was refused: ${reason}` })

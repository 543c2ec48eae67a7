import { createPublicKey, createSecretKey, type JsonWebKey } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { isSignedBy, parseJwsParts } from '../../src/access-token/compact-jws.js'
import { parseStrictObject } from '../../src/access-token/strict-json.js'
import { createSignatureCheck, hashBytes, isHmacAlgorithm, isPublicKeyAlgorithm } from '../../src/keys/algorithm.js'
import { unwrapOctJwk } from '../../src/keys/import-key.js'
import type { RingKey } from '../../src/keys/key.js'
import { readKeyPair } from '../../src/keys/read-key-pair.js'

/** The result of a check: the published one, or the one of a library. */
export type Verdict = 'valid' | 'invalid'

// Two groups of Wycheproof write ES521 for ES512, after the curve.
const algorithmOf = (label: unknown): unknown => (label === 'ES521' ? 'ES512' : label)

/**
 * Reads the key of a vector like a key ring, but without the two rules about the secrecy of keys: standards print most of these
 * keys, and one key is 32 zero bytes.
 */
export const readVectorKey = (jwk: JsonWebKey, label: unknown = jwk['alg']): RingKey => {
  const algorithm = algorithmOf(label)
  const relabelled = jwk['alg'] === undefined ? jwk : { ...jwk, alg: algorithmOf(jwk['alg']) }
  const state = 'verify'
  if (isPublicKeyAlgorithm(algorithm)) return readKeyPair('key', relabelled, { algorithm, state })
  if (!isHmacAlgorithm(algorithm)) throw new TypeError('jwt-auth: no such algorithm.')
  const bytes = unwrapOctJwk('key', relabelled, { algorithm, state })
  if (!(bytes instanceof Uint8Array)) throw new TypeError('jwt-auth: no secret.')
  const signatureBytes = hashBytes[algorithm]
  const key = createSecretKey(bytes)
  const isValid = createSignatureCheck(algorithm, key)
  return {
    kid: 'vector',
    algorithm,
    key,
    isValid,
    signatureBytes,
    publicJwk: undefined,
    signing: undefined,
  }
}

/** Returns the result of the parser and the key. Skips the checks of `typ` and of the claims, which vectors lack. */
export const judge = (jws: unknown, readKey: () => RingKey): Verdict => {
  const parts = typeof jws === 'string' ? parseJwsParts(jws) : undefined
  const { alg, typ, kid, ...others } = (parts && parseStrictObject(Buffer.from(parts.header, 'base64url'))) ?? {}
  if (parts === undefined || Object.keys(others).length > 0) return 'invalid'
  try {
    return isSignedBy(parts, alg, readKey()) ? 'valid' : 'invalid'
  } catch (error) {
    if (error instanceof TypeError && error.message.startsWith('jwt-auth: ')) return 'invalid'
    throw error
  }
}

/** Returns the result of jsonwebtoken alone, with the algorithm of the key pinned. */
export const judgePlainly = (jws: unknown, jwk: JsonWebKey, label: unknown = jwk['alg']): Verdict => {
  const algorithm = algorithmOf(label)
  if (typeof jws !== 'string' || !(isHmacAlgorithm(algorithm) || isPublicKeyAlgorithm(algorithm))) return 'invalid'
  if (algorithm === 'EdDSA') return 'invalid'
  try {
    const key =
      jwk.kty === 'oct'
        ? createSecretKey(Buffer.from(String(jwk.k), 'base64url'))
        : createPublicKey({ key: jwk, format: 'jwk' })
    jsonwebtoken.verify(jws, key, { algorithms: [algorithm], ignoreExpiration: true })
    return 'valid'
  } catch {
    return 'invalid'
  }
}

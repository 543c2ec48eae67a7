import type { RingKey } from '../keys/key.js'
import { parseStrictObject } from './strict-json.js'

/** The `typ` of our access tokens (RFC 9068, section 2.1). */
export const accessTokenType = 'at+jwt'

/**
 * The longest access token that is issued or accepted, in characters. Node's default limit for all
 * headers is 16 KiB.
 */
export const maxAccessTokenLength = 8_192

// Our headers have about 120 characters. A longer one is rejected before its JSON is parsed,
// because anybody can send one.
const maxHeaderLength = 256

/** The parts of a compact JWS in their canonical form. Nothing in them has been verified. */
export interface JwsParts {
  /**
   * The encoded header and payload with the dot between them, which the signature covers (RFC 7515,
   * section 5.1).
   */
  readonly signingInput: string
  /** The encoded header. */
  readonly header: string
  /** The encoded payload. */
  readonly payload: string
  /** The encoded signature. */
  readonly signature: string
}

/** The header of an access token. */
export interface AccessTokenHeader {
  readonly alg: string
  readonly kid: string
}

/**
 * Splits a compact JWS (RFC 7515, section 3.1) into exactly three parts, none of them empty, each
 * in canonical base64url. Returns `undefined` for anything else.
 */
export const parseJwsParts = (token: string): JwsParts | undefined => {
  const [, header, payload, signature] = compactForm.exec(token) ?? []
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  for (const part of [header, payload, signature])
    if (lastCharacters[part.length % 4]?.includes(part.slice(-1)) === false) return undefined
  return { signingInput: token.slice(0, -signature.length - 1), header, payload, signature }
}

/**
 * Parses an encoded header, which must be exactly `{alg, typ: "at+jwt", kid}` in at most 256
 * characters. Returns `undefined` for anything else: `crit`, `b64`, `zip`, `jku`, `jwk` and all
 * other members are rejected.
 */
export const parseHeader = (encoded: string): AccessTokenHeader | undefined => {
  if (encoded.length > maxHeaderLength) return undefined
  const { alg, typ, kid, ...others } = parseStrictObject(Buffer.from(encoded, 'base64url')) ?? {}
  if (typeof alg !== 'string' || typeof kid !== 'string' || typ !== accessTokenType) return undefined
  return Object.keys(others).length === 0 ? { alg, kid } : undefined
}

/**
 * Creates a {@link parseHeader} that remembers the last header, because all tokens of a key have
 * the same header.
 */
export const createHeaderParser = (): typeof parseHeader => {
  let last: { readonly encoded: string; readonly header: AccessTokenHeader } | undefined
  return (encoded) => {
    if (last?.encoded === encoded) return last.header
    const header = parseHeader(encoded)
    if (header !== undefined) last = { encoded, header }
    return header
  }
}

/**
 * Returns whether a token has a valid signature of this key. Compares the token's `alg` with the
 * key's algorithm, and the length of the signature with the one length that the key's signatures
 * have, before it computes anything.
 */
export const isSignedBy = (jws: JwsParts, alg: unknown, key: RingKey): boolean => {
  if (alg !== key.algorithm) return false
  const signature = Buffer.from(jws.signature, 'base64url')
  return signature.length === key.signatureBytes && key.isValid(jws.signingInput, signature)
}

// No padding, no other alphabet, no stray bits in the last character, no empty part. Otherwise one
// token would have several spellings (RFC 7515, section 2; RFC 4648, section 3.5).
const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

// The last characters of a part whose unused bits are zero, by the length of the part modulo 4.
const lastCharacters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048']

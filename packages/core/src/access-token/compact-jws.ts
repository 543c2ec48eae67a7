import { parseStrictObject, type StrictObject } from './strict-json.js'

/** The `typ` of our access tokens (RFC 9068, section 2.1). */
export const accessTokenType = 'at+jwt'

/** The longest access token that is issued or read, in characters. Node's default limit for all headers is 16 KiB. */
export const longestAccessToken = 8_192

// Ours have about 120 characters. Others are refused before their JSON is parsed, since anybody can send one.
const longestHeader = 256

/** The parts of a compact JWS in their canonical form. Nothing in them is trusted yet. */
export interface JwsParts {
  /** What is signed: the encoded header and payload with the dot between them (RFC 7515, section 5.1). */
  readonly signingInput: string
  /** The three parts, still encoded. */
  readonly header: string
  readonly payload: string
  readonly signature: string
}

/** The header of an access token. */
export interface AccessTokenHeader {
  readonly alg: string
  readonly kid: string
}

/**
 * Splits a compact JWS (RFC 7515, section 3.1) into exactly three parts, none of them empty, each in canonical base64url. Returns `undefined`
 * for anything else.
 */
export const readJwsParts = (token: string): JwsParts | undefined => {
  const [, header, payload, signature] = compactForm.exec(token) ?? []
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  const isCanonical = isTheOneSpelling(header) && isTheOneSpelling(payload) && isTheOneSpelling(signature)
  return isCanonical ? { signingInput: token.slice(0, -signature.length - 1), header, payload, signature } : undefined
}

/**
 * Reads an encoded header, which must be exactly `{alg, typ: "at+jwt", kid}` in at most 256 characters. Returns `undefined` for anything else:
 * `crit`, `b64`, `zip`, `jku`, `jwk` and all other members are refused.
 */
export const readHeader = (encoded: string): AccessTokenHeader | undefined => {
  if (encoded.length > longestHeader) return undefined
  const { alg, typ, kid, ...others } = readPart(encoded) ?? {}
  if (typeof alg !== 'string' || typeof kid !== 'string' || typ !== accessTokenType) return undefined
  return Object.keys(others).length === 0 ? { alg, kid } : undefined
}

/** Creates a {@link readHeader} that remembers the last header, since all tokens of a key have the same one. */
export const createHeaderReader = (): typeof readHeader => {
  let last: { readonly encoded: string; readonly header: AccessTokenHeader } | undefined
  return (encoded) => {
    if (last?.encoded === encoded) return last.header
    const header = readHeader(encoded)
    if (header !== undefined) last = { encoded, header }
    return header
  }
}

/** Reads the JSON object of an encoded part. Returns `undefined` when there is none, or when two parsers may read it differently. */
export const readPart = (encoded: string): StrictObject | undefined =>
  parseStrictObject(Buffer.from(encoded, 'base64url'))

// No padding, no other alphabet, no stray bits in the last character, no empty part. Otherwise one token would have several
// spellings (RFC 7515, section 2; RFC 4648, section 3.5).
const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

const isTheOneSpelling = (part: string): boolean => lastCharacters[part.length % 4]?.includes(part.slice(-1)) ?? true

// The last characters of a part whose unused bits are zero, by the length of the part modulo 4.
const lastCharacters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048']

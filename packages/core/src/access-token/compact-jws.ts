import { parseStrictObject, type StrictObject } from './strict-json.js'

/** The `typ` of our access tokens (RFC 9068, section 2.1). */
export const accessTokenType = 'at+jwt'

/** The longest access token that is issued or read, in characters. Node's default limit for all headers is 16 KiB. */
export const longestAccessToken = 8_192

/** The parts of a compact JWS in their canonical form; nothing about them is trusted yet. */
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
 * Takes a compact JWS apart (RFC 7515, section 3.1): exactly three parts, none of them empty, each in canonical base64url.
 * `undefined` for anything else.
 */
export const readJwsParts = (token: string): JwsParts | undefined => {
  const [, header, payload, signature] = compactForm.exec(token) ?? []
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  const isCanonical = isTheOneSpelling(header) && isTheOneSpelling(payload) && isTheOneSpelling(signature)
  return isCanonical ? { signingInput: token.slice(0, -signature.length - 1), header, payload, signature } : undefined
}

/**
 * Reads an encoded header, which must be exactly `{alg, typ: "at+jwt", kid}`. `undefined` for anything else: `crit`, `b64`,
 * `zip`, `jku`, `jwk` and the like are refused because they are not on the list.
 */
export const readHeader = (encoded: string): AccessTokenHeader | undefined => {
  const { alg, typ, kid, ...others } = readPart(encoded) ?? {}
  if (typeof alg !== 'string' || typeof kid !== 'string' || typ !== accessTokenType) return undefined
  return Object.keys(others).length === 0 ? { alg, kid } : undefined
}

/** The same for many tokens: those of one key all begin alike, so that the header before is mostly the next one. */
export const createHeaderReader = (): typeof readHeader => {
  let last: { readonly encoded: string; readonly header: AccessTokenHeader } | undefined
  return (encoded) => {
    if (last?.encoded === encoded) return last.header
    const header = readHeader(encoded)
    if (header !== undefined) last = { encoded, header }
    return header
  }
}

/** Reads the JSON object in an encoded part; `undefined` when it holds none, or one that could be read in two ways. */
export const readPart = (encoded: string): StrictObject | undefined =>
  parseStrictObject(Buffer.from(encoded, 'base64url'))

// No padding, no other alphabet, no stray bits in the last character, no part empty. Otherwise one token could be written in
// several ways (RFC 7515, section 2; RFC 4648, section 3.5).
const compactForm = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/

const isTheOneSpelling = (part: string): boolean => lastCharacters[part.length % 4]?.includes(part.slice(-1)) ?? true

// What may come last in a part, by its length modulo 4: the characters whose unused bits are zero.
const lastCharacters = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048']

import { parseStrictObject } from './strict-json.js'

/** The `typ` of our access tokens (RFC 9068, section 2.1). */
export const accessTokenType = 'at+jwt'

/** The longest access token that is issued or read, in characters. Node's default limit for all headers is 16 KiB. */
export const longestAccessToken = 8_192

/** An access token's parts, read strictly; nothing about them is trusted yet. */
export interface CompactJws {
  readonly alg: string
  readonly kid: string
  readonly payload: Uint8Array
}

/**
 * Reads a compact JWS (RFC 7515, section 3.1) whose header is exactly `{alg, typ: "at+jwt", kid}`. `undefined` for
 * anything else: `crit`, `b64`, `zip`, `jku`, `jwk` and the like are refused because they are not on the list.
 */
export const readCompactJws = (token: string): CompactJws | undefined => {
  if (token.length > longestAccessToken) return undefined
  const parts = token.split('.')
  if (parts.length !== 3) return undefined
  const [header, payload, signature] = parts.map(decodeBase64url)
  if (header === undefined || payload === undefined || signature === undefined) return undefined
  const { alg, typ, kid, ...others } = parseStrictObject(header) ?? {}
  if (typeof alg !== 'string' || typeof kid !== 'string' || typ !== accessTokenType) return undefined
  return Object.keys(others).length === 0 ? { alg, kid, payload } : undefined
}

// Canonical only: no padding, no other alphabet, no stray bits in the last character. Otherwise one token could be
// written in several ways (RFC 7515, section 2; RFC 4648, section 3.5).
const decodeBase64url = (part: string): Buffer | undefined => {
  const bytes = Buffer.from(part, 'base64url')
  return part !== '' && bytes.toString('base64url') === part ? bytes : undefined
}

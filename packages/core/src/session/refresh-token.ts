import { createHmac, hash } from 'node:crypto'

// Secret scanners and grep find this prefix. It says nothing about the session.
const prefix = 'jwtauth_rt_'
const selectorBytes = 16
const verifierBytes = 32
const bodyLength = ((selectorBytes + verifierBytes) * 8) / 6
const form = new RegExp(`^${prefix}[A-Za-z0-9_-]{${bodyLength}}$`)

/**
 * The two parts of a refresh token. The selector stays the same for the whole session. The verifier
 * changes with each refresh.
 */
export interface RefreshToken {
  /** 16 bytes, which find the session. */
  readonly selector: Buffer
  /** 32 bytes, which prove that the client holds the token. */
  readonly verifier: Buffer
}

/** Generates the first refresh token of a session. */
export const generateRefreshToken = (randomBytes: (size: number) => Buffer): RefreshToken => ({
  selector: randomBytes(selectorBytes),
  verifier: randomBytes(verifierBytes),
})

/**
 * Parses a refresh token that a client sent. Returns `undefined` for the wrong length, prefix or
 * alphabet. 48 bytes are exactly 64 characters of base64url, so that each token has one spelling.
 */
export const parseRefreshToken = (text: string): RefreshToken | undefined => {
  if (!form.test(text)) return undefined
  const bytes = Buffer.from(text.slice(prefix.length), 'base64url')
  return { selector: bytes.subarray(0, selectorBytes), verifier: bytes.subarray(selectorBytes) }
}

/** Returns a refresh token as clients store it. */
export const formatRefreshToken = ({ selector, verifier }: RefreshToken): string =>
  prefix + Buffer.concat([selector, verifier]).toString('base64url')

/**
 * Returns the hash under which a selector or a verifier is stored. Both are random, so that one
 * SHA-256 suffices and a comparison of hashes reveals nothing by its time.
 */
export const toHash = (secret: Buffer): string => hash('sha256', secret, 'base64url')

/** The length of a salt, in bytes. */
export const saltBytes = 16

/**
 * Derives the refresh token that replaces another one. The same inputs give the same token
 * (docs/design/refresh-tokens.md). The service secret is not in the storage. The successor can
 * therefore not be derived from a replaced token and a copy of the storage.
 */
export const deriveSuccessor = (
  { selector, verifier }: RefreshToken,
  { salt, serviceSecret }: { readonly salt: Buffer; readonly serviceSecret: Buffer },
): RefreshToken => {
  const key = createHmac('sha256', serviceSecret).update(verifier).digest()
  return { selector, verifier: createHmac('sha256', key).update(salt).update(selector).digest() }
}

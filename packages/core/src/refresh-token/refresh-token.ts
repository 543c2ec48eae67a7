import { hash } from 'node:crypto'

// Found by secret scanners and by grep; says nothing about the session.
const prefix = 'jwtauth_rt_'
const selectorBytes = 16
const verifierBytes = 32
const bodyLength = ((selectorBytes + verifierBytes) * 8) / 6
const form = new RegExp(`^${prefix}[A-Za-z0-9_-]{${bodyLength}}$`)

/** A refresh token's two parts: the selector stays for the session, the verifier changes with each refresh. */
export interface RefreshToken {
  readonly selector: Buffer
  readonly verifier: Buffer
}

/** Draws the first refresh token of a session. */
export const generateRefreshToken = (randomBytes: (size: number) => Buffer): RefreshToken => ({
  selector: randomBytes(selectorBytes),
  verifier: randomBytes(verifierBytes),
})

/**
 * Reads what a client presented; `undefined` for the wrong length, prefix or alphabet, before any lookup. 48 bytes are
 * exactly 64 characters of base64url: each token has one spelling.
 */
export const parseRefreshToken = (text: string): RefreshToken | undefined => {
  if (!form.test(text)) return undefined
  const bytes = Buffer.from(text.slice(prefix.length), 'base64url')
  return { selector: bytes.subarray(0, selectorBytes), verifier: bytes.subarray(selectorBytes) }
}

/** The refresh token as clients hold it. */
export const formatRefreshToken = ({ selector, verifier }: RefreshToken): string =>
  prefix + Buffer.concat([selector, verifier]).toString('base64url')

/** What is stored of a selector or a verifier: both are random, so that one SHA-256 suffices and no timing helps. */
export const toHash = (secret: Buffer): string => hash('sha256', secret, 'base64url')

import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { AuthError } from '../errors/auth-error.js'
import type { KeyRing } from '../keys/key-ring.js'
import type { VerificationKey } from '../keys/ring-key.js'
import type { EpochMilliseconds } from '../system.js'
import { type Auth, toAuth } from './auth.js'
import { isSignedBy } from './check-signature.js'
import { type AccessTokenClaims, isAccessTokenClaims } from './claims.js'
import { createHeaderReader, longestAccessToken, readJwsParts, readPart } from './compact-jws.js'

/** What a token is checked against. */
export interface VerifierOptions {
  readonly keyRing: KeyRing
  readonly issuer: string
  /** Issuers whose tokens are accepted too: addresses that the service had before. @default [] */
  readonly formerIssuers?: readonly string[]
  readonly audience: string | undefined
  readonly clockToleranceSeconds: number
}

/**
 * Checks everything about an access token that the token itself can prove, at an instant; returns what it says, frozen
 * to its leaves and without inherited members. Throws `jwt_auth_invalid_token`. Whether its session still lives is storage's to say.
 */
export type VerifyAccessToken = (token: string, now: EpochMilliseconds) => Auth

interface ProvenToken {
  readonly auth: Auth
  readonly key: VerificationKey
}

// What is remembered is that a signature and its claims are good, never that a session lives: forgetting an entry
// costs time, not safety.
const mostProvenTokens = 10_000
const mostProvenCharacters = 16 * 1024 * 1024
// What each entry counts for at least, so that one bound is both. Characters stand for the bytes of what was read from them, which are a
// small multiple, a larger one for claims of the host's own with many small members.
const leastProvenCharacters = Math.floor(mostProvenCharacters / mostProvenTokens)

/** How far `iat` and `nbf` may lie ahead, for clocks that differ between instances. In seconds. */
const greatestClockLead = 60

/** Makes the one check of access tokens that guard, validate, revoke and `verify` share. */
export const createAccessTokenVerifier = (options: VerifierOptions): VerifyAccessToken => {
  // `max` would set all of the room aside at once; `maxSize` takes it as tokens come.
  const provenTokens = new LRUCache<string, ProvenToken>({ maxSize: mostProvenCharacters })
  const proveToken = createProof(options)

  return (token, now) => {
    // `verify` is called from JavaScript too, and by sockets, whose messages may be of any length: none is hashed.
    if (typeof token !== 'string' || token.length > longestAccessToken) throw invalidToken('no text, or too long')
    const digest = hash('sha256', token, 'base64')
    const remembered = provenTokens.get(digest)
    if (remembered !== undefined && options.keyRing.find(remembered.key.kid) === remembered.key) {
      checkTimes(remembered.auth.claims, now, options.clockToleranceSeconds)
      return remembered.auth
    }
    const proven = proveToken(token)
    checkTimes(proven.auth.claims, now, options.clockToleranceSeconds)
    provenTokens.set(digest, proven, { size: Math.max(token.length, leastProvenCharacters) })
    return proven.auth
  }
}

/** Form, then key, then signature, and only then the claims (RFC 8725, sections 3.1 to 3.10). */
const createProof = ({
  keyRing,
  issuer,
  formerIssuers = [],
  audience,
}: VerifierOptions): ((token: string) => ProvenToken) => {
  const readHeader = createHeaderReader()

  return (token) => {
    const jws = readJwsParts(token)
    const header = jws && readHeader(jws.header)
    if (jws === undefined || header === undefined) throw invalidToken('malformed token')
    const key = keyRing.find(header.kid)
    if (key === undefined || !isSignedBy(jws, header.alg, key)) throw badSignature()
    const claims = readPart(jws.payload)
    if (claims === undefined || !isAccessTokenClaims(claims)) throw invalidToken('malformed claims')
    if (claims.iss !== issuer && !formerIssuers.includes(claims.iss)) throw invalidToken('another issuer')
    if (claims.aud !== audience) throw invalidToken('another audience')
    return { auth: toAuth(claims), key }
  }
}

// Expired is `now >= exp` (RFC 7519, section 4.1.4: "on or after").
const checkTimes = (claims: AccessTokenClaims, now: EpochMilliseconds, toleranceSeconds: number): void => {
  if (now >= (claims.exp + toleranceSeconds) * 1000) {
    throw new AuthError('jwt_auth_invalid_token', { message: 'Expired token' })
  }
  const latestStart = now + greatestClockLead * 1000
  if (claims.nbf * 1000 > latestStart || claims.iat * 1000 > latestStart) throw invalidToken('not valid yet')
}

const invalidToken = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })

const badSignature = (): AuthError =>
  new AuthError('jwt_auth_invalid_token', { message: 'Signature verification failed' })

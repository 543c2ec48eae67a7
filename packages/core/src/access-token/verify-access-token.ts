import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { AuthError } from '../errors/auth-error.js'
import type { KeyRing } from '../keys/key-ring.js'
import type { Signer } from '../keys/signer.js'
import type { SigningKey } from '../keys/signing-key.js'
import type { EpochMilliseconds } from '../system.js'
import { type AccessTokenClaims, readClaims } from './claims.js'
import { type CompactJws, readCompactJws } from './compact-jws.js'
import { deepFreeze } from './deep-freeze.js'
import { parseStrictObject } from './strict-json.js'

/** What a token is checked against. */
export interface VerifierOptions {
  readonly keyRing: KeyRing
  readonly signer: Signer
  readonly issuer: string
  readonly audience: string | undefined
  readonly clockToleranceSeconds: number
}

/**
 * Checks everything about an access token that the token itself can prove, at an instant; returns its claims, deeply
 * frozen. Throws `jwt_auth_invalid_token`. Whether its session still lives is storage's to say.
 */
export type VerifyAccessToken = (token: string, now: EpochMilliseconds) => AccessTokenClaims

interface ProvenToken {
  readonly claims: AccessTokenClaims
  readonly key: SigningKey
}

// What is remembered is that a signature and its claims are good, never that a session lives: forgetting an entry
// costs time, not safety.
const mostProvenTokens = 10_000
const mostProvenCharacters = 16 * 1024 * 1024

/** How far `iat` and `nbf` may lie ahead, for clocks that differ between instances. In seconds. */
const greatestClockLead = 60

/** Makes the one check of access tokens that guard, validate, revoke and `verify` share. */
export const createAccessTokenVerifier = (options: VerifierOptions): VerifyAccessToken => {
  const provenTokens = new LRUCache<string, ProvenToken>({
    max: mostProvenTokens,
    maxSize: mostProvenCharacters,
  })

  return (token, now) => {
    // `verify` is called from JavaScript too.
    if (typeof token !== 'string') throw invalidToken('no text')
    const digest = createHash('sha256').update(token).digest('base64')
    const remembered = provenTokens.get(digest)
    if (remembered !== undefined && options.keyRing.find(remembered.key.kid) === remembered.key) {
      checkTimes(remembered.claims, now, options.clockToleranceSeconds)
      return remembered.claims
    }
    const proven = proveToken(token, options)
    checkTimes(proven.claims, now, options.clockToleranceSeconds)
    provenTokens.set(digest, proven, { size: token.length })
    return proven.claims
  }
}

/** Form, then key, then signature, and only then the claims (RFC 8725, sections 3.1 to 3.10). */
const proveToken = (token: string, options: VerifierOptions): ProvenToken => {
  const jws = readCompactJws(token)
  if (jws === undefined) throw invalidToken('malformed token')
  const key = findKey(jws, options.keyRing)
  if (key === undefined || !options.signer.isSignedBy(token, key)) throw badSignature()
  const payload = parseStrictObject(jws.payload)
  const claims = payload && readClaims(payload)
  if (claims === undefined) throw invalidToken('malformed claims')
  if (claims.iss !== options.issuer) throw invalidToken('another issuer')
  if (claims.aud !== options.audience) throw invalidToken('another audience')
  return { claims: deepFreeze(claims), key }
}

const findKey = ({ kid, alg }: CompactJws, keyRing: KeyRing): SigningKey | undefined => {
  const key = keyRing.find(kid)
  return key?.algorithm === alg ? key : undefined
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

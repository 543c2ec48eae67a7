import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { AuthError, invalidToken } from '../errors/auth-error.js'
import type { Difference } from '../errors/difference.js'
import type { RingKey } from '../keys/key.js'
import type { KeyRing } from '../keys/key-ring.js'
import { parseRefreshToken } from '../session/refresh-token.js'
import type { EpochMs } from '../system.js'
import { type AccessTokenClaims, type Auth, isAccessTokenClaims, toAuth } from './claims.js'
import { createHeaderParser, isSignedBy, maxAccessTokenLength, parseJwsParts } from './compact-jws.js'
import { parseStrictObject } from './strict-json.js'

/** What tokens are checked against. */
export interface VerifierOptions {
  readonly keyRing: KeyRing
  /** The current issuer, and former ones, whose tokens are accepted too. */
  readonly issuers: readonly string[]
  readonly audience: string | undefined
  readonly clockToleranceSeconds: number
  /** Reports a mistake in the application. @default nothing is reported */
  readonly reportFault?: (message: string) => void
  /** Reports that another instance has other options. @default nothing is reported */
  readonly reportDifference?: (difference: Difference) => unknown
}

interface VerifiedToken {
  readonly auth: Auth
  /** The key that checked the signature. */
  readonly key: RingKey
}

// An entry says that the signature and the claims of a token are valid, never that its session is
// active. The cache holds about 50,000 tokens with few claims. This is enough for 50,000 users of
// one instance within an hour, the default lifetime of an access token. A token that was dropped is
// verified again.
const maxVerifiedBytes = 32 * 1024 * 1024
// The size of an entry without its claims, in bytes. The claims take about as many bytes as the
// token has characters.
const verifiedTokenBytes = 256

/** How far `iat` and `nbf` may lie ahead, for clocks that differ between instances. In seconds. */
const maxClockLeadSeconds = 60

/**
 * Creates the check of access tokens that the guard, validate, revoke and `verify` share. It checks
 * a token at an instant, without its session, and returns its user, session and claims.
 *
 * @throws AuthError `jwt_auth_invalid_token`
 */
export const createAccessTokenVerifier = (options: VerifierOptions) => {
  // `max` would allocate all memory at the start; `maxSize` allocates it as tokens arrive.
  const verifiedTokens = new LRUCache<string, VerifiedToken>({ maxSize: maxVerifiedBytes })
  const verifyToken = createTokenCheck(options)
  const { clockToleranceSeconds, reportDifference } = options

  // A token is expired when `now >= exp` (RFC 7519, section 4.1.4: "on or after").
  const checkTimes = ({ exp, nbf, iat }: AccessTokenClaims, now: EpochMs): void => {
    if (now >= (exp + clockToleranceSeconds) * 1000) {
      throw new AuthError('jwt_auth_invalid_token', { message: 'Expired token' })
    }
    const start = Math.max(nbf, iat) * 1000
    if (start <= now + maxClockLeadSeconds * 1000) return
    const [theirs, ours] = [new Date(start), new Date(now)]
    reportDifference?.({ subject: 'start of an access token', theirs, own: 'clock', ours })
    throw invalidToken('not valid yet')
  }

  return (token: string, now: EpochMs): Auth => {
    // JavaScript callers pass any value, and messages of sockets may have any length.
    if (typeof token !== 'string' || token.length > maxAccessTokenLength) throw invalidToken('no text, or too long')
    const digest = hash('sha256', token, 'base64')
    const remembered = verifiedTokens.get(digest)
    if (remembered !== undefined && options.keyRing.keys.get(remembered.key.kid) === remembered.key) {
      checkTimes(remembered.auth.claims, now)
      return remembered.auth
    }
    const verified = verifyToken(token)
    checkTimes(verified.auth.claims, now)
    verifiedTokens.set(digest, verified, { size: token.length + verifiedTokenBytes })
    return verified.auth
  }
}

/**
 * Checks the form, the key, the signature, and then the claims (RFC 8725, sections 3.1 to 3.10;
 * docs/design/access-tokens.md).
 */
const createTokenCheck = ({ keyRing, issuers, audience, reportFault, reportDifference }: VerifierOptions) => {
  const parseHeader = createHeaderParser()

  return (token: string): VerifiedToken => {
    const jws = parseJwsParts(token)
    const header = jws && parseHeader(jws.header)
    if (jws === undefined || header === undefined) {
      const mistake = findMistake(token)
      if (mistake !== undefined) reportFault?.(`a token was rejected: it is ${mistake}`)
      throw invalidToken(mistake ?? 'malformed token')
    }
    const key = keyRing.keys.get(header.kid)
    if (key === undefined) reportFault?.(unknownKey)
    if (key === undefined || !isSignedBy(jws, header.alg, key)) throw badSignature()
    const claims = parseStrictObject(Buffer.from(jws.payload, 'base64url'))
    if (claims === undefined || !isAccessTokenClaims(claims)) throw invalidToken('malformed claims')
    const { iss, aud } = claims
    if (!issuers.includes(iss)) {
      reportDifference?.({ subject: 'issuer of an access token', theirs: iss, own: 'issuer', ours: issuers })
      throw invalidToken('another issuer')
    }
    if (![aud].flat().includes(audience)) {
      reportDifference?.({ subject: 'audience of an access token', theirs: aud, own: 'audience', ours: audience })
      throw invalidToken('another audience')
    }
    return { auth: toAuth(claims), key }
  }
}

const findMistake = (token: string): string | undefined => {
  if (/^bearer /i.test(token)) return 'a whole header: pass it without the word Bearer, or call verifyRequest'
  if (/^(undefined|null)$/.test(token))
    return `a missing value, as the text \`${token}\`: send no header without a token`
  return parseRefreshToken(token) && 'a refresh token: send the access token instead'
}

const unknownKey =
  'a token was rejected: this instance has no key with the id in the token. All instances need the same `secret` or `keys`. After a change, keep the former key in the list while its tokens are valid. Ignore this report if the token was forged or came from another service.'

const badSignature = (): AuthError =>
  new AuthError('jwt_auth_invalid_token', { message: 'Signature verification failed' })

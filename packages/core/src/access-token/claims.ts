import { isUserId, type UserId } from '../ports/user-directory.js'
import { isSessionId } from '../session/session-id.js'
import { isObject, type StrictObject } from './strict-json.js'

/** The claims of an access token. Times are whole seconds since 1970 (RFC 7519, section 2, NumericDate). */
export interface AccessTokenClaims {
  /** The issuer: the option `issuer` of the service that issued the token. */
  readonly iss: string
  /** The user's id as text. */
  readonly sub: string
  /** The audience: the option `audience`. Missing without that option. */
  readonly aud?: string
  /** When the token was issued. */
  readonly iat: number
  /** From when on the token is valid. */
  readonly nbf: number
  /** When the token expires. */
  readonly exp: number
  /** Unique for each token. */
  readonly jti: string
  /** The session the token belongs to. */
  readonly sid: string
  /** The user's id in its JSON type, where clients of this API family expect it. */
  readonly data: { readonly user: { readonly id: UserId } }
  /** Claims of the option `claims`. */
  readonly [name: string]: unknown
}

/** The names that claims of the application can't have. */
export const reservedClaimNames: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'iat',
  'nbf',
  'exp',
  'jti',
  'sid',
  'data',
  '__proto__',
])

// 9999-12-31T23:59:59Z; later instants have no date in most languages.
const lastSecond = 253_402_300_799

/**
 * Returns whether a payload is that of an access token: every claim has its exact type. The issuer, the audience and the times are checked
 * elsewhere.
 */
export const isAccessTokenClaims = (payload: StrictObject): payload is AccessTokenClaims & StrictObject => {
  const { iss, sub, aud, iat, nbf, exp, jti, sid, data } = payload
  const id = readUserId(data)
  return (
    isText(iss) &&
    (aud === undefined || isText(aud)) &&
    isSecond(iat) &&
    isSecond(nbf) &&
    isSecond(exp) &&
    isTokenId(jti) &&
    isSessionId(sid) &&
    id !== undefined &&
    sub === String(id)
  )
}

const readUserId = (data: unknown): UserId | undefined => {
  if (!isObject(data) || !hasOnly(data, 'user') || !isObject(data['user']) || !hasOnly(data['user'], 'id')) {
    return undefined
  }
  const id = data['user']['id']
  return isUserId(id) ? id : undefined
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

const isSecond = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= lastSecond

const isTokenId = (value: unknown): boolean => typeof value === 'string' && /^[A-Za-z0-9_-]{22}$/.test(value)

const hasOnly = (value: Readonly<Record<string, unknown>>, name: string): boolean => {
  const names = Object.keys(value)
  return names.length === 1 && names[0] === name
}

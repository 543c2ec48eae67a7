import { type AuthErrorCode, errorTable } from './error-table.js'

/** The members of an error that its headers depend on. */
interface HeaderSource {
  readonly code: AuthErrorCode
  readonly retryAfterSeconds?: number | undefined
  readonly allowedMethods?: readonly string[] | undefined
  readonly scopes?: readonly string[] | undefined
  readonly maxAuthAgeSeconds?: number | undefined
}

/** The options that error responses depend on. */
export interface ErrorResponseOptions {
  /** The realm of `WWW-Authenticate`. */
  readonly realm: string
  /**
   * Returns a random byte, which spreads `Retry-After` after an outage over one to five seconds.
   */
  readonly randomByte: () => number
}

/**
 * Returns whether a value is one scope (RFC 6749, section 3.3): printable ASCII without spaces, `"`
 * and `\`.
 */
export const isScope = (value: unknown): value is string => typeof value === 'string' && /^[!#-[\]-~]+$/.test(value)

/** The realm of errors, unless a binding sets another realm. */
export const defaultRealm = 'jwt-auth'

// Nobody knows how long an outage lasts. Clients that failed at the same moment must not all retry
// at the same moment.
const outageSeconds = { min: 1, max: 5 }

/**
 * Returns when the client may try again, in whole seconds from now. `undefined` if the response has
 * no such time.
 */
export const toRetryAfter = (
  { code, retryAfterSeconds }: HeaderSource,
  randomByte: ErrorResponseOptions['randomByte'],
): number | undefined => {
  if (retryAfterSeconds !== undefined) return retryAfterSeconds
  if (code === 'jwt_auth_rate_limited') return outageSeconds.min
  return code === 'jwt_auth_unavailable' ? outageSeconds.min + (randomByte() % outageSeconds.max) : undefined
}

/**
 * Returns the headers that belong to an error: `WWW-Authenticate`, `Retry-After` and `Allow`, if it
 * has them.
 */
export const toErrorHeaders = (
  { code, allowedMethods, scopes, maxAuthAgeSeconds }: HeaderSource,
  { realm, retryAfter }: { readonly realm: string; readonly retryAfter: number | undefined },
): Readonly<Record<string, string>> => {
  const { challenge } = errorTable[code]
  const parameters = {
    realm,
    // No `error` where the client sent no bearer credential (RFC 6750, section 3.1).
    ...(challenge !== 'plain' && { error: challenge }),
    ...(scopes !== undefined && scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(maxAuthAgeSeconds !== undefined && { max_age: maxAuthAgeSeconds }),
  }
  return {
    ...(challenge !== 'none' && { 'WWW-Authenticate': toChallenge(parameters) }),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(allowedMethods !== undefined && { Allow: allowedMethods.join(', ') }),
  }
}

const toChallenge = (parameters: Readonly<Record<string, string | number>>): string =>
  `Bearer ${Object.entries(parameters)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`

import { toAddress } from '../documentation.js'
import { type AuthErrorCode, errorTable, proofAlgorithms } from './error-table.js'

/** Returns whether a value is one of the codes. */
const isAuthErrorCode = (value: unknown): value is AuthErrorCode =>
  typeof value === 'string' && Object.hasOwn(errorTable, value)

/** Why a hashing queue refused a password check. */
export interface HashingRefusal {
  /**
   * The whole queue is full, one network or one user has its share of the queue, or the wait timed
   * out.
   */
  readonly reason: 'queue' | 'network' | 'user' | 'timeout'
  /** Whether the user has logged in from the network before. */
  readonly isKnown: boolean
}

/** What an {@link AuthError} has besides its code. */
export interface AuthErrorDetails {
  /** The sentence for the client. @default the sentence of the code */
  readonly message?: string
  /** The names of the invalid parameters of the request, never their values. */
  readonly params?: readonly string[]
  /**
   * When the client may try again, in seconds from now. Rounded up. Values that are not positive
   * and finite are ignored.
   */
  readonly retryAfterSeconds?: number
  /** The methods that the route supports (RFC 9110, section 10.2.1). */
  readonly allowedMethods?: readonly string[]
  /**
   * The scopes that the request needs (RFC 6750, section 3). Values that are not scopes (RFC 6749,
   * section 3.3) are ignored.
   */
  readonly scopes?: readonly string[]
  /** The maximum age of the login, in seconds (RFC 9470, section 3). */
  readonly maxAuthAgeSeconds?: number
  /** The nonce for the next DPoP proof (RFC 9449, section 8). */
  readonly dpopNonce?: string
  /** Why a hashing queue refused a password check. Never sent to a client. */
  readonly refusal?: HashingRefusal
  /** The reason, for the application's log. Never sent to a client. */
  readonly detail?: string
  /** The underlying error, for the application's log. Never sent to a client. */
  readonly cause?: unknown
}

// Registered by name, so that several copies of this package in one process recognise each other's
// errors.
const brand = Symbol.for('@jwt-auth/core.AuthError')

/**
 * A failed operation: `code` for programs, `message` for the client, `detail` and `cause` for the
 * application's log. The error handlers of Express, Fastify and Koa read `status`, `statusCode`,
 * `headers` and `expose` (the fields of http-errors). Your user directory may throw an `AuthError`
 * to choose the response to a login.
 *
 * @example
 * ```ts
 * throw new AuthError('jwt_auth_unavailable', { retryAfterSeconds: 5, cause: error })
 * ```
 */
export class AuthError extends Error {
  /** The name of the class, for logs. To recognise an error, call {@link isAuthError}. */
  override readonly name = 'AuthError'
  /** The kind of failure. Determines the status of the response. */
  readonly code: AuthErrorCode
  /** The names of the invalid parameters of the request. */
  readonly params: readonly string[] | undefined
  /** When the client may try again, in whole seconds from now. */
  readonly retryAfterSeconds: number | undefined
  /** The methods that the route supports. */
  readonly allowedMethods: readonly string[] | undefined
  /** The scopes that the request needs. */
  readonly scopes: readonly string[] | undefined
  /** The maximum age of the login, in whole seconds. */
  readonly maxAuthAgeSeconds: number | undefined
  /** The nonce for the next DPoP proof. */
  readonly dpopNonce: string | undefined
  /** Why a hashing queue refused a password check. `undefined` for every other failure. */
  readonly refusal: HashingRefusal | undefined
  /** The reason, for the application's log. Never sent to a client. */
  readonly detail: string | undefined
  /** The address of the documentation of the code, for the application's log. */
  readonly help: string
  /** The HTTP status of the code, for error handlers of frameworks. */
  readonly status: number
  /** The same as `status`, as Fastify reads it. */
  readonly statusCode: number
  /**
   * The headers of the response: `WWW-Authenticate`, `Retry-After`, `Allow`, `DPoP-Nonce`, if the
   * error has them. Errors that `jwtAuth` creates have the realm of its options. Other errors have
   * the realm `jwt-auth`.
   */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Whether the client may see `message`: `false` for failures that the client did not cause (5xx).
   */
  readonly expose: boolean

  constructor(code: AuthErrorCode, details: AuthErrorDetails = {}) {
    if (!isAuthErrorCode(code)) throw new TypeError(`jwt-auth: unknown error code ${JSON.stringify(code)}.`)
    super(
      details.message ?? errorTable[code].message,
      details.cause === undefined ? undefined : { cause: details.cause },
    )
    this.code = code
    this.params = details.params
    this.retryAfterSeconds = toWholeSeconds(details.retryAfterSeconds)
    this.allowedMethods = details.allowedMethods
    this.scopes = details.scopes?.filter(isScope)
    this.maxAuthAgeSeconds = toWholeSeconds(details.maxAuthAgeSeconds)
    this.dpopNonce = details.dpopNonce
    this.refusal = details.refusal
    this.detail = details.detail
    this.help = toAddress('errors', code)
    this.status = errorTable[code].status
    this.statusCode = this.status
    this.expose = !isServerFault(this)
    this.headers = toErrorHeaders(this, { realm: defaultRealm })
    Object.defineProperty(this, brand, { value: true })
  }
}

/** Returns whether an error was not caused by the client. Such errors are logged. */
export const isServerFault = ({ code }: Pick<AuthError, 'code'>): boolean => errorTable[code].status >= 500

// A header has whole seconds (RFC 9110, section 10.2.3).
const toWholeSeconds = (seconds: number | undefined): number | undefined =>
  typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds) : undefined

/**
 * Returns whether a value is an {@link AuthError}, created by this copy or another copy of this
 * package in the process.
 *
 * @example
 * ```ts
 * if (isAuthError(error) && error.code === 'jwt_auth_rate_limited') wait(error.retryAfterSeconds)
 * ```
 */
export const isAuthError = (value: unknown): value is AuthError =>
  value instanceof Error && Object.hasOwn(value, brand) && 'code' in value && isAuthErrorCode(value.code)

/** Creates the error of an access token. `detail` is for the application's log. */
export const invalidToken = (detail: string): AuthError => new AuthError('jwt_auth_invalid_token', { detail })

/**
 * Creates the error for a mistake in the application that shows only at run time. The client
 * receives 500, and `onError` receives the message.
 */
export const setupError = (message: string): AuthError =>
  new AuthError('jwt_auth_internal_error', { cause: new TypeError(`jwt-auth: ${message}`) })

/**
 * Returns an {@link AuthError} as it is. Wraps any other thrown value in `jwt_auth_internal_error`.
 */
export const toAuthError = (thrown: unknown): AuthError =>
  isAuthError(thrown) ? thrown : new AuthError('jwt_auth_internal_error', { cause: thrown })

/** The options that error responses depend on. */
export interface ErrorResponseOptions {
  /** The realm of `WWW-Authenticate`. */
  readonly realm: string
  /**
   * Returns a random byte, which spreads `Retry-After` after an outage over one to five seconds.
   */
  readonly randomByte: () => number
  /** The schemes of access tokens with the option `dpop`. @default the scheme Bearer */
  readonly dpop?: { readonly schemes: readonly TokenScheme[] } | undefined
}

/** The scheme with which an access token is sent (RFC 6750, section 2.1; RFC 9449, section 7.1). */
export type TokenScheme = 'Bearer' | 'DPoP'

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

const toRetryAfter = ({ code, retryAfterSeconds }: AuthError, randomByte?: () => number): number | undefined => {
  if (retryAfterSeconds !== undefined || randomByte === undefined) return retryAfterSeconds
  if (code === 'jwt_auth_rate_limited') return outageSeconds.min
  return code === 'jwt_auth_unavailable' ? outageSeconds.min + (randomByte() % outageSeconds.max) : undefined
}

/**
 * Returns the headers that belong to an error: `WWW-Authenticate`, `Retry-After`, `Allow` and
 * `DPoP-Nonce`, if it has them.
 */
export const toErrorHeaders = (
  error: AuthError,
  { realm, randomByte, dpop }: Pick<ErrorResponseOptions, 'realm'> & Partial<ErrorResponseOptions>,
): Readonly<Record<string, string>> => {
  const { code, allowedMethods, scopes, maxAuthAgeSeconds, dpopNonce } = error
  const { challenge } = errorTable[code]
  const retryAfter = toRetryAfter(error, randomByte)
  const parameters = {
    realm,
    // No `error` where the client sent no bearer credential (RFC 6750, section 3.1).
    ...(challenge !== 'plain' && { error: challenge }),
    ...(scopes !== undefined && scopes.length > 0 && { scope: scopes.join(' ') }),
    ...(maxAuthAgeSeconds !== undefined && { max_age: maxAuthAgeSeconds }),
  }
  const isAboutProof = challenge === 'invalid_dpop_proof' || challenge === 'use_dpop_nonce'
  const used: readonly TokenScheme[] = isAboutProof ? ['DPoP'] : (dpop?.schemes ?? ['Bearer'])
  return {
    ...(challenge !== 'none' && {
      'WWW-Authenticate': used.map((scheme) => toChallenge(scheme, parameters)).join(', '),
    }),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(allowedMethods !== undefined && { Allow: allowedMethods.join(', ') }),
    ...(dpopNonce !== undefined && { 'DPoP-Nonce': dpopNonce }),
  }
}

const toChallenge = (scheme: TokenScheme, parameters: Readonly<Record<string, string | number>>): string =>
  `${scheme} ${Object.entries({ ...parameters, ...(scheme === 'DPoP' && { algs: proofAlgorithms.join(' ') }) })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`

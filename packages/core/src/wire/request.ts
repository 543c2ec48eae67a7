import type { DpopRequest } from '../dpop/check-proof.js'
import type { TokenScheme } from '../errors/auth-error.js'
import { AuthError } from '../errors/auth-error.js'
import type { Credentials } from '../operations/authenticate.js'
import type { Device } from '../session/session-record.js'
import type { ReadHeader } from './cookies.js'

/** A request, independent of the framework. A binding creates it. */
export interface WireRequest {
  /** Every `Authorization` header, as the client sent it. */
  readonly authorization: readonly string[]
  /** Reads any other header. */
  readonly readHeader: ReadHeader
  /** Returns what the request has of DPoP. */
  readonly readDpop: () => DpopRequest
  /** The body, which only some routes read. */
  readonly body: WireBody
  /**
   * The client's address, if it can be trusted. `undefined` if it is unknown. A binding reads the
   * address when the request arrives, because the address is lost when the connection closes.
   */
  readonly address: string | undefined
  /** Returns what to store about the device. Called for a login and for a refresh. */
  readonly readDevice: () => Device
  /**
   * Returns a signal that aborts when the connection closes before the response has been sent. The
   * signal has aborted already if the connection is closed. Called for a login.
   */
  readonly watchConnection: () => AbortSignal
}

/** The body of a request. */
export interface WireBody {
  /** The `Content-Type` header, or `undefined` if there is none. */
  readonly contentType: string | undefined
  /** The `Content-Encoding` header (RFC 9110, section 8.4), or `undefined` if there is none. */
  readonly contentEncoding: string | undefined
  /** Whether the headers announce a body (RFC 9112, section 6.3). */
  readonly isPresent: boolean
  /** The announced length in bytes, or `undefined` if none was announced. */
  readonly length: number | undefined
  /** The result of an earlier body parser, or `undefined` if none has read the body. */
  readonly parsed: unknown
  /** Reads the body. Resolves to `too-large` beyond the limit. */
  readonly read: (limitBytes: number) => Promise<Uint8Array | 'too-large'>
}

/** The members of a request body: unknown values with unknown names. */
export type Parameters = Readonly<Record<string, unknown>>

// RFC 9110, section 5.6.2: token; RFC 6750, section 2.1: b64token; RFC 9110, section 11.4: 1*SP
// between the two.
const knownScheme = /^(bearer|dpop)(?![!#$%&'*+.^_`|~0-9A-Za-z-])/i
const credentials = /^(bearer|dpop) +([-A-Za-z0-9._~+/]+=*)$/i

/**
 * Returns the access token of a request's `Authorization` headers. Ignores tokens in the query, the
 * body and cookies (RFC 9700, section 4.3.2).
 *
 * @throws an {@link AuthError} `jwt_auth_no_auth_header` when there is no header, or one of another
 *   scheme; `jwt_auth_bad_auth_header` when there are several headers or the header is malformed
 */
export const readAccessToken = (
  headers: readonly string[],
): { readonly accessToken: string; readonly scheme: TokenScheme } => {
  const [header = '', ...others] = headers
  if (others.length > 0) throw new AuthError('jwt_auth_bad_auth_header')
  const [, name, accessToken] = credentials.exec(header) ?? []
  if (name !== undefined && accessToken !== undefined) {
    return { accessToken, scheme: name.length === 4 ? 'DPoP' : 'Bearer' }
  }
  if (knownScheme.test(header)) throw new AuthError('jwt_auth_bad_auth_header')
  throw new AuthError('jwt_auth_no_auth_header', header === '' ? {} : { detail: otherScheme })
}

/**
 * Returns the access token of a request, and with the scheme `DPoP` what proves its possession.
 *
 * @throws an {@link AuthError} as {@link readAccessToken} does
 */
export const readPresentedToken = ({
  authorization,
  readDpop,
}: Pick<WireRequest, 'authorization' | 'readDpop'>): {
  readonly accessToken: string
  readonly dpop: DpopRequest | undefined
} => {
  const { accessToken, scheme } = readAccessToken(authorization)
  return { accessToken, dpop: scheme === 'DPoP' ? readDpop() : undefined }
}

const otherScheme = 'the Authorization header has another scheme or none: send `Authorization: Bearer <token>`'

/**
 * Reads the parameters of a login.
 *
 * @throws AuthError `jwt_auth_invalid_request` with the names of missing or invalid parameters
 */
export const readCredentials = (parameters: Parameters): Credentials => readTexts(parameters, ['username', 'password'])

/**
 * Reads the parameter of a refresh.
 *
 * @throws AuthError `jwt_auth_invalid_request` with its name if it is missing or invalid
 */
export const readRefreshToken = (parameters: Parameters): string =>
  readTexts(parameters, ['refresh_token']).refresh_token

const readTexts = <Name extends string>(parameters: Parameters, names: readonly Name[]): Record<Name, string> => {
  const missing = names.filter((name) => isMissing(parameters[name]))
  if (missing.length > 0) throw badParameters('Missing', missing)
  const invalid = names.filter((name) => !isText(parameters[name]))
  if (invalid.length > 0) throw badParameters('Invalid', invalid)
  // The parsing boundary: each of these members is a string.
  return Object.fromEntries(names.map((name) => [name, parameters[name]])) as Record<Name, string>
}

const isMissing = (value: unknown): boolean => value === undefined || value === null || value === ''

// In UTF-16 code units.
const maxParameterLength = 4_096

const isText = (value: unknown): boolean =>
  typeof value === 'string' && value.length <= maxParameterLength && value.isWellFormed()

const badParameters = (fault: 'Missing' | 'Invalid', params: readonly string[]): AuthError =>
  new AuthError('jwt_auth_invalid_request', { message: `${fault} parameter(s): ${params.join(', ')}`, params })

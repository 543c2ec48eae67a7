import { AuthError } from '../errors/auth-error.js'
import type { HttpRequest } from '../operations/call.js'
import type { RequestHeaders } from './cookies.js'

/** A request, independent of the framework. A binding creates it. */
export interface WireRequest extends HttpRequest, RequestHeaders {
  /** The body, which only some routes read. */
  readonly body: WireBody
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
  /**
   * Reads the body.
   *
   * @throws an {@link AuthError} `jwt_auth_payload_too_large` beyond the limit
   */
  readonly read: (limitBytes: number) => Promise<Uint8Array>
}

/** The members of a request body: unknown values with unknown names. */
export type Parameters = Readonly<Record<string, unknown>>

// In UTF-16 code units.
const maxParameterLength = 4_096

/**
 * Reads parameters that are text.
 *
 * @throws AuthError `jwt_auth_invalid_request` with the names of missing or invalid parameters
 */
export const readTexts = <Name extends string>(parameters: Parameters, names: readonly Name[]) => {
  const missing: Name[] = []
  const invalid: Name[] = []
  const texts: Record<string, string> = {}
  for (const name of names) {
    const value = parameters[name] ?? ''
    if (value === '') missing.push(name)
    else if (typeof value !== 'string' || value.length > maxParameterLength || !value.isWellFormed()) invalid.push(name)
    else texts[name] = value
  }
  const params = missing.length > 0 ? missing : invalid
  if (params.length > 0) {
    const message = `${params === missing ? 'Missing' : 'Invalid'} parameter(s): ${params.join(', ')}`
    throw new AuthError('jwt_auth_invalid_request', { message, params })
  }
  // The parsing boundary: each of the names has a text.
  return texts as Record<Name, string>
}

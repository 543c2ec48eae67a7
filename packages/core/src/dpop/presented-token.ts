import { AuthError } from '../errors/auth-error.js'
import type { DpopRequest } from './check-proof.js'

// RFC 9110, section 5.6.2: token; RFC 6750, section 2.1: b64token; RFC 9110, section 11.4: 1*SP
// between the two.
const knownScheme = /^(bearer|dpop)(?![!#$%&'*+.^_`|~0-9A-Za-z-])/i
const credentials = /^(bearer|dpop) +([-A-Za-z0-9._~+/]+=*)$/i

/** An access token as a client presents it. */
export interface PresentedToken {
  /** The access token. */
  readonly accessToken: string
  /** What proves that the client has the key of the token. `undefined` for a bearer token. */
  readonly dpop: DpopRequest | undefined
}

/**
 * Returns the access token in the `Authorization` headers of a request, and with the scheme `DPoP`
 * what proves its possession. Ignores tokens in the query, the body and cookies (RFC 9700, section
 * 4.3.2).
 *
 * @throws an {@link AuthError} `jwt_auth_no_auth_header` when there is no header, or one of another
 *   scheme; `jwt_auth_bad_auth_header` when there are several headers or the header is malformed
 */
export const readPresentedToken = (request: {
  readonly authorization: readonly string[]
  readonly dpop: DpopRequest
}): PresentedToken => {
  const [header = '', ...others] = request.authorization
  if (others.length > 0) throw new AuthError('jwt_auth_bad_auth_header')
  const [, scheme, accessToken] = credentials.exec(header) ?? []
  if (scheme !== undefined && accessToken !== undefined) {
    return { accessToken, dpop: scheme.toLowerCase() === 'dpop' ? request.dpop : undefined }
  }
  if (knownScheme.test(header)) throw new AuthError('jwt_auth_bad_auth_header')
  throw new AuthError('jwt_auth_no_auth_header', header === '' ? {} : { detail: otherScheme })
}

const otherScheme = 'the Authorization header has another scheme or none: send `Authorization: Bearer <token>`'

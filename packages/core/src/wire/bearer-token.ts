import { AuthError } from '../errors/auth-error.js'

// RFC 9110, section 5.6.2: token; RFC 6750, section 2.1: b64token; RFC 9110, section 11.4: 1*SP between the two.
const scheme = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+/
const bearer = /^bearer +([-A-Za-z0-9._~+/]+=*)$/i

/**
 * Takes the bearer token out of the request's `Authorization` headers, each as it was sent. Throws
 * `jwt_auth_no_auth_header` when there is none or of another scheme, `jwt_auth_bad_auth_header` when there are several or
 * the one is malformed. Tokens in a query, a body or a cookie are not looked at (RFC 9700, section 4.3.2).
 */
export const readBearerToken = (headers: readonly string[]): string => {
  const [header = '', ...others] = headers
  if (others.length > 0) throw new AuthError('jwt_auth_bad_auth_header')
  if (scheme.exec(header)?.[0].toLowerCase() !== 'bearer') throw new AuthError('jwt_auth_no_auth_header')
  const token = bearer.exec(header)?.[1]
  if (token === undefined) throw new AuthError('jwt_auth_bad_auth_header')
  return token
}

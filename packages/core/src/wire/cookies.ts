import { AuthError } from '../errors/auth-error.js'
import { isPlainHttp } from '../network.js'
import { splitAtSemicolons } from './header-parts.js'

/** How refresh tokens are kept in cookies (docs/design/cookies.md). */
export interface CookiePolicy {
  /**
   * The name of the cookie. Starts with `__Host-`: no other host of the site can set such a cookie.
   */
  readonly name: string
  /**
   * The origins whose pages may use the cookie, besides the origin of the service:
   * `https://app.example.com`.
   */
  readonly origins: readonly string[]
}

/** The headers of a request. */
export interface RequestHeaders {
  /**
   * Returns the value of a header, or `undefined` if there is none. Takes the name in lower case.
   */
  readHeader(name: string): string | undefined
}

/**
 * Returns the policy if the request asks to keep its refresh token in a cookie: by the header
 * `X-JWT-Auth-Transport: cookie`, which a form of another site cannot send. Returns `undefined` for
 * a request without the header, which behaves as if there were no cookies.
 *
 * @throws AuthError `jwt_auth_invalid_request` for another value, and if there is no policy;
 *   `jwt_auth_untrusted_origin` if a page of an origin that is not trusted, or without HTTPS, sent
 *   the request
 */
export const readCookieMode = (headers: RequestHeaders, policy: CookiePolicy | undefined): CookiePolicy | undefined => {
  const transport = headers.readHeader('x-jwt-auth-transport')
  if (transport === undefined) return undefined
  if (policy === undefined || transport !== 'cookie') {
    const message = policy === undefined ? 'Refresh tokens in cookies are not enabled.' : 'Unknown transport.'
    throw new AuthError('jwt_auth_invalid_request', { message })
  }
  if (isTrusted(headers, policy)) return policy
  const origin = headers.readHeader('origin') ?? ''
  const message = isPlainHttp(origin) ? { message: 'The cookie of the refresh token needs a page with HTTPS.' } : {}
  throw new AuthError('jwt_auth_untrusted_origin', { detail: explainOrigin(origin), ...message })
}

// A client can send any text. The origin of a URL has no control characters.
const explainOrigin = (origin: string): string => {
  const page = URL.canParse(origin) ? `a page of ${new URL(origin).origin.slice(0, 200)}` : 'no page'
  return `a request of ${page} asked for a cookie: pages must have HTTPS and be on the same site as the routes, such as https://app.example.com and https://api.example.com, and the option \`cookies.origins\` must contain their origin`
}

// Browsers have sent `Sec-Fetch-Site` since 2023 at the latest (Safari 16.4), and they send
// `Origin` with every POST. A page of another site cannot use a `SameSite=Strict` cookie, so its
// requests fail even if its origin is in the list. A page without HTTPS is refused first, because
// anyone in its network can change it.
const isTrusted = (headers: RequestHeaders, { origins }: CookiePolicy): boolean => {
  const site = headers.readHeader('sec-fetch-site')
  const origin = headers.readHeader('origin') ?? ''
  if (isPlainHttp(origin)) return false
  if (site !== undefined && site !== 'same-site') return site === 'same-origin'
  return origins.includes(origin) || origin === `https://${headers.readHeader('host')}`
}

/**
 * Returns the refresh token in the cookie of a request.
 *
 * @throws AuthError `jwt_auth_invalid_request` if the body contains a refresh token too;
 *   `jwt_auth_invalid_refresh_token` if there is no cookie, or more than one. Such a request counts
 *   towards no limit: every page of a user who is not logged in sends one.
 */
export const readRefreshCookie = (
  headers: RequestHeaders,
  { name }: CookiePolicy,
  parameters: Readonly<Record<string, unknown>>,
): string => {
  if (parameters['refresh_token'] !== undefined) {
    const params = ['refresh_token']
    const message = 'Send the refresh token in the cookie only, not in the body.'
    throw new AuthError('jwt_auth_invalid_request', { message, params })
  }
  const pairs = splitAtSemicolons(headers.readHeader('cookie') ?? '').filter((pair) => pair.startsWith(`${name}=`))
  const [pair, ...others] = pairs
  if (pair === undefined) throw new AuthError('jwt_auth_invalid_refresh_token', { detail: 'no cookie' })
  if (others.length > 0) {
    throw new AuthError('jwt_auth_invalid_refresh_token', { detail: `the cookie ${name} was sent twice` })
  }
  return pair.slice(name.length + 1)
}

/**
 * Returns the header that sets the cookie (RFC 6265bis, section 4.1.3). A `value` of `''` deletes
 * the cookie.
 */
export const toCookieHeader = (
  { name }: CookiePolicy,
  value: string,
  maxAgeSeconds: number,
): Record<string, string> => ({
  'Set-Cookie': `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; Secure; HttpOnly; SameSite=Strict`,
})

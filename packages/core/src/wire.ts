export { type PresentedToken, readPresentedToken } from './dpop/presented-token.js'
export { defaultRealm, type ErrorResponseOptions, isServerFault } from './errors/auth-error.js'
export { type Challenge, type ErrorRow, errorTable } from './errors/error-table.js'
export { toNetwork } from './network.js'
export {
  type CookiePolicy,
  type RequestHeaders,
  readCookieMode,
  readRefreshCookie,
  toCookieHeader,
} from './wire/cookies.js'
export { readTexts, type WireBody, type WireRequest } from './wire/request.js'
export {
  setErrorHeaders,
  toAuthenticationResponse,
  toErrorResponse,
  toJwksResponse,
  type WireResponse,
} from './wire/response.js'
export * from './wire/routes.js'

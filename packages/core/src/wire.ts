export {
  type Challenge,
  type ErrorResponseOptions,
  type ErrorRow,
  errorTable,
  isServerFault,
  toErrorResponse,
} from './wire/error-response.js'
export type { BodyOptions } from './wire/read-body.js'
export { readBearerToken, type WireBody, type WireRequest } from './wire/request.js'
export { toAuthenticationResponse, toJwksResponse, type WireResponse } from './wire/response.js'
export { answerRoute, defaultNamespace, matchRoute, type RouteMatch, type RouteName } from './wire/routes.js'

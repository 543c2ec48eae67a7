export { type AnswerOptions, answerRoute } from './wire/answer.js'
export { readBearerToken } from './wire/bearer-token.js'
export {
  type Challenge,
  type ErrorResponseOptions,
  type ErrorRow,
  errorTable,
  isServerFault,
  toErrorResponse,
} from './wire/error-response.js'
export { toJwksResponse } from './wire/jwks-response.js'
export type { WireBody, WireRequest } from './wire/request.js'
export type { WireResponse } from './wire/response.js'
export { defaultNamespace, matchRoute, type RouteMatch, type RouteName } from './wire/routes.js'
export { toAuthenticationResponse } from './wire/success-response.js'

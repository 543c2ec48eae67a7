import { openMiddleware } from '../open-middleware.js'
import type { OperationContender } from '../operation-contender.js'

/** The least that middleware must do: create the request object and call `next`. */
export const contender: OperationContender = {
  title: 'an empty middleware',
  open: async ({ tokens }) => openMiddleware((_req, _res, next) => next(), tokens, { isGuard: false }),
}

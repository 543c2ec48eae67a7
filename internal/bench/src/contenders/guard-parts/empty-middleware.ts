import { openMiddleware } from '../open-middleware.js'
import type { OperationContender } from '../operation-contender.js'

/** What the guard is compared with: the request object and a call of `next`. */
export const contender: OperationContender = {
  title: 'an empty middleware',
  open: async ({ tokens }) => openMiddleware((_req, _res, next) => next(), tokens, { isGuard: false }),
}

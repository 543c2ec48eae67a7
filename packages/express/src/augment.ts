/**
 * Import this file once (`import '@jwt-auth/express/augment'`) to give Express's `req.auth` its type. Without it nothing
 * global changes; `getOptionalAuth(req)` is typed either way.
 */
import type { Auth } from '@jwt-auth/core'

declare global {
  namespace Express {
    interface Request {
      /** What the guard found; `getOptionalAuth(req)` tells the same and can't be overwritten by other middleware. */
      readonly auth?: Auth | undefined
    }
  }
}

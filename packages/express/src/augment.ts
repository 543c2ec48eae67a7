/**
 * Declares the type of Express's `req.auth`. Import this file once: `import '@jwt-auth/express/augment'`. `getAuth(req)` and
 * `getOptionalAuth(req)` are typed without it.
 */
import type { Auth } from '@jwt-auth/core'

declare global {
  namespace Express {
    interface Request {
      /** What the guard found. `getOptionalAuth(req)` returns the same object, which other middleware cannot change. */
      readonly auth?: Auth | undefined
    }
  }
}

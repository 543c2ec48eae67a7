/**
 * Declares the type of Express's `req.auth`. Import this file once: `import
 * '@jwt-auth/express/augment'`. `auth.getAuth(req)` needs no such declaration, and also has the
 * types of your ids and claims.
 */
import type { Auth } from '@jwt-auth/core'

declare global {
  namespace Express {
    interface Request {
      /**
       * What the guard found. `auth.getOptionalAuth(req)` returns the same object, which other
       * middleware cannot change.
       */
      readonly auth?: Auth | undefined
    }
  }
}

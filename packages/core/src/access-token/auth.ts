import type { UserId } from '../ports/user-directory.js'
import type { AccessTokenClaims } from './claims.js'
import { createBareObject } from './strict-json.js'

/** Who a request comes from, as its access token proved. Frozen to its leaves, and no object in it has inherited members. */
export interface Auth {
  readonly userId: UserId
  readonly sessionId: string
  readonly claims: AccessTokenClaims
}

/** What proven claims say. The same object for every request with the token. */
export const toAuth = (claims: AccessTokenClaims): Auth =>
  Object.freeze(Object.assign(createBareObject(), { userId: claims.data.user.id, sessionId: claims.sid, claims }))

import type { UserId } from '../ports/user-directory.js'
import type { AccessTokenClaims } from './claims.js'
import { createBareObject } from './strict-json.js'

/** The user and the session of an access token. Deeply frozen, and no object in it has inherited members. */
export interface Auth {
  /** The user of the session. */
  readonly userId: UserId
  /** The session of the access token. */
  readonly sessionId: string
  /** The checked claims of the access token. */
  readonly claims: AccessTokenClaims
}

/** Creates the {@link Auth} of checked claims. Every request with the token receives the same object. */
export const toAuth = (claims: AccessTokenClaims): Auth =>
  Object.freeze(Object.assign(createBareObject(), { userId: claims.data.user.id, sessionId: claims.sid, claims }))

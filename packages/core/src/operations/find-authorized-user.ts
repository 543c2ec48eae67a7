import type { Auth } from '../access-token/auth.js'
import { AuthError } from '../errors/auth-error.js'
import type { User } from '../ports/user-directory.js'
import { authorize } from './authorize.js'
import type { ServiceParts } from './service-parts.js'

/** The result of an access token check that includes the user. */
export interface AuthorizedUser {
  readonly auth: Auth
  /** The user as the directory returns it now. */
  readonly user: User
}

/**
 * Returns the user of an access token, as the directory returns it now. Throws what {@link authorize} throws, and
 * `jwt_auth_invalid_token` when the user does not exist or is disabled.
 */
export const findAuthorizedUser = async (parts: ServiceParts, accessToken: string): Promise<AuthorizedUser> => {
  const auth = await authorize(parts, accessToken)
  const user = await parts.users.findById(auth.userId)
  if (user !== undefined && !user.disabled) return { auth, user }
  throw new AuthError('jwt_auth_invalid_token', { detail: 'the user does not exist or is disabled' })
}

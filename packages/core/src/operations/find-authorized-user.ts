import { AuthError } from '../errors/auth-error.js'
import type { User } from '../ports/user-directory.js'
import { authorize } from './authorize.js'
import type { ServiceParts } from './service-parts.js'

/**
 * The user an access token belongs to, as they are now. Throws what {@link authorize} throws, and `jwt_auth_invalid_token`
 * when the user is gone or disabled.
 */
export const findAuthorizedUser = async (parts: ServiceParts, accessToken: string): Promise<User> => {
  const { userId } = await authorize(parts, accessToken)
  const user = await parts.users.findById(userId)
  if (user !== undefined && !user.disabled) return user
  throw new AuthError('jwt_auth_invalid_token', { detail: 'the user is gone or disabled' })
}

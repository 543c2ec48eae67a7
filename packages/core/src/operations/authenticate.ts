import { AuthError } from '../errors/auth-error.js'
import type { Device } from '../session/device.js'
import type { AuthenticationResult } from './issue-tokens.js'
import { openSession } from './open-session.js'
import type { ServiceParts } from './service-parts.js'

/** A user name and a password as the client sent them. */
export interface Credentials {
  readonly username: string
  readonly password: string
}

/**
 * Exchanges a user name and a password for a pair of tokens, and opens a session. Throws `jwt_auth_failed` for an unknown
 * user, a wrong password and a disabled user alike; `jwt_auth_unavailable` when users or storage can't answer.
 */
export const authenticate = async (
  parts: ServiceParts,
  { username, password }: Credentials,
  device: Device,
): Promise<AuthenticationResult> => {
  const user = await parts.users.verifyPassword(username, password)
  if (user === undefined || user.disabled) throw new AuthError('jwt_auth_failed')
  const result = await openSession(parts, user, device)
  if (result === undefined) throw new AuthError('jwt_auth_failed')
  return result
}

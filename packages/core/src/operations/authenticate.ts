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

/** Where a login comes from. */
export interface LoginOrigin {
  readonly device: Device
  /** The client's address, by which attempts are limited; `undefined` when it can't be told. */
  readonly address: string | undefined
}

/**
 * Exchanges a user name and a password for a pair of tokens, and opens a session. Throws `jwt_auth_failed` for an unknown
 * user, a wrong password and a disabled user alike; `jwt_auth_rate_limited` before a password is looked at;
 * `jwt_auth_unavailable` when users or storage can't answer.
 */
export const authenticate = (
  parts: ServiceParts,
  credentials: Credentials,
  { device, address }: LoginOrigin,
): Promise<AuthenticationResult> =>
  parts.limits.limitLogin({ username: credentials.username, address }, () => logIn(parts, credentials, device))

const logIn = async (
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

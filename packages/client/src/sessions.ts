import type { AuthClient } from './auth-client.js'
import { AuthClientError } from './auth-client-error.js'
import { readBody } from './auth-routes.js'

/** An active session of the user: a browser, an app or a script that is logged in. */
export interface UserSession {
  /** Identifies the session for {@link revokeSession}. */
  readonly id: string
  /** Whether it is the session of this client. */
  readonly isCurrent: boolean
  /** When the user logged in. */
  readonly createdAt: Date
  /** When the last login or refresh took place. */
  readonly lastUsedAt: Date
  /** When the session expires unless it is used before. */
  readonly expiresAt: Date
  /** The user agent of the login, or `null` if it is unknown. Text that the client wrote. */
  readonly userAgent: string | null
  /** The address of the login, or `null` if it is unknown. */
  readonly ipAddress: string | null
  /**
   * The user agent of the last login or refresh, or `null` if it is unknown. Text that the client
   * wrote.
   */
  readonly lastUserAgent: string | null
  /** The address of the last login or refresh, or `null` if it is unknown. */
  readonly lastIpAddress: string | null
  /** The name that the server gave the session, or `null` if there is none. */
  readonly label: string | null
}

/** Where the routes are. */
interface SessionCallOptions {
  /**
   * The `baseUrl` of the client. @default `/jwt-auth/v1` on the origin of the client's `baseUrl`
   */
  readonly baseUrl?: string | undefined
}

/**
 * Lists the active sessions of the user, the newest first. The server needs the option
 * `sessionRoutes`.
 *
 * @throws `AuthClientError` with the code of the server, such as `jwt_auth_no_route` without the
 * option, or `invalid_response`. Otherwise the errors of `auth.fetch`
 * @example
 * ```ts
 * const others = (await listSessions(auth)).filter(({ isCurrent }) => !isCurrent)
 * for (const { id } of others) await revokeSession(auth, id)
 * ```
 */
export const listSessions = async (
  auth: Pick<AuthClient, 'fetch'>,
  options?: SessionCallOptions,
): Promise<readonly UserSession[]> => {
  const { sessions } = await request(auth, '', options)
  if (!Array.isArray(sessions)) throw new AuthClientError('invalid_response')
  return sessions.map((session) => ({
    id: session.id,
    isCurrent: session.current,
    createdAt: new Date(session.created_at),
    lastUsedAt: new Date(session.last_used_at),
    expiresAt: new Date(session.expires_at),
    userAgent: session.user_agent,
    ipAddress: session.ip_address,
    lastUserAgent: session.last_user_agent,
    lastIpAddress: session.last_ip_address,
    label: session.label,
  }))
}

/**
 * Ends a session of the user, for example on a lost phone. Resolves too if the session has ended
 * before. To end the session of this client, call `auth.logout()`. The server needs the option
 * `sessionRoutes`.
 *
 * @throws `AuthClientError` with the code of the server, such as `jwt_auth_token_not_found` if the
 * user has no such session. Otherwise the errors of `auth.fetch`
 * @example
 * ```ts
 * await revokeSession(auth, id)
 * ```
 */
export const revokeSession = async (
  auth: Pick<AuthClient, 'fetch'>,
  id: string,
  options?: SessionCallOptions,
): Promise<void> => {
  await request(auth, `/${encodeURIComponent(id)}`, options, 'DELETE')
}

const request = async (
  auth: Pick<AuthClient, 'fetch'>,
  path: string,
  { baseUrl = '/jwt-auth/v1' }: SessionCallOptions = {},
  method = 'GET',
): Promise<{ readonly sessions?: unknown }> => {
  const response = await auth.fetch(`${baseUrl.replace(/\/+$/, '')}/sessions${path}`, { method })
  return response.status === 204 ? {} : readBody(response)
}

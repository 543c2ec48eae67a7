import { AuthClientError } from './auth-client-error.js'
import type { Environment } from './environment.js'
import type { Session } from './session-state.js'

/** The user name and the password of a login. */
export interface Credentials {
  /** The name that the user logs in with. */
  readonly username: string
  /** The password of the user. */
  readonly password: string
}

/** Calls the routes of jwt-auth. Every call rejects with an {@link AuthClientError}. */
export interface AuthRoutes {
  readonly login: (credentials: Credentials) => Promise<Session>
  /** Exchanges a refresh token for new tokens. Without a refresh token, the browser sends its cookie. */
  readonly refresh: (refreshToken: string | undefined, signal?: AbortSignal) => Promise<Session>
  /** Ends the session of an access token. With `ownsCookie`, the response also clears the cookie. */
  readonly revoke: (accessToken: string, ownsCookie: boolean) => Promise<unknown>
}

interface AuthRequest {
  readonly path: string
  readonly body?: object | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly usesCookie: boolean
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
  /**
   * Whether the request continues when the user leaves the page. Chromium then cannot cancel it: after a timeout, it would occupy a
   * connection, and its response could still replace the cookie of a later login.
   */
  readonly keepalive?: boolean | undefined
}

// A server hashes passwords one after the other, and delays the responses to wrong ones.
const loginTimeoutMs = 30_000

// Two attempts fit in the 30 seconds in which the server accepts a refresh token again.
const timeoutMs = 10_000

export const createAuthRoutes = (baseUrl: string, usesCookie: boolean, environment: Environment): AuthRoutes => {
  const toSession = (body: ResponseBody): Session => {
    const { token, user_id, refresh_token } = body
    // A server without the other half of the transport would end the session at the first refresh.
    if (!token || user_id === undefined || (refresh_token === undefined) !== usesCookie) {
      throw new AuthClientError('invalid_response', { status: 200 })
    }
    return {
      accessToken: token,
      refreshToken: refresh_token,
      expiresInSeconds: body.expires_in,
      user: {
        id: user_id,
        email: body.user_email,
        nicename: body.user_nicename,
        displayName: body.user_display_name,
      },
    }
  }
  const send = (request: AuthRequest) => sendRequest(baseUrl, request, environment)

  return {
    login: async ({ username, password }) =>
      toSession(await send({ path: '/token', body: { username, password }, usesCookie, timeoutMs: loginTimeoutMs })),
    refresh: async (refreshToken, signal) =>
      toSession(
        await send({ path: '/token/refresh', body: { refresh_token: refreshToken }, usesCookie, timeoutMs, signal }),
      ),
    revoke: (accessToken, ownsCookie) =>
      send({
        path: '/token/revoke',
        headers: toBearer(accessToken),
        usesCookie: ownsCookie,
        timeoutMs,
        keepalive: !ownsCookie,
      }),
  }
}

/** Returns the header that presents an access token. */
export const toBearer = (accessToken: string) => ({ Authorization: `Bearer ${accessToken}` })

/** Returns whether a response says that its request had no valid access token. */
export const isUnauthorized = ({ status }: { readonly status?: number | undefined }): boolean => status === 401

/** Returns whether a failure says that the session has ended. No other failure does. */
export const isSessionEnd = (error: AuthClientError): boolean =>
  error.status === 403 && error.code === 'jwt_auth_invalid_refresh_token'

/** Returns whether the same request may succeed later. */
export const isTemporary = ({ status, code }: AuthClientError): boolean =>
  status === undefined || status === 408 || status === 429 || status >= 500 || code === 'invalid_response'

/** The members of a response. A response may lack each of them. */
interface ResponseBody {
  readonly token?: string
  readonly refresh_token?: string
  readonly expires_in?: number
  readonly user_id?: number | string
  readonly user_email: string
  readonly user_nicename: string
  readonly user_display_name: string
  readonly code?: string
  readonly message?: string
  readonly data?: { readonly retry_after?: number }
}

const sendRequest = async (baseUrl: string, request: AuthRequest, environment: Environment): Promise<ResponseBody> => {
  const controller = new AbortController()
  let isTimeout = false
  const stopTimer = environment.startTimer(request.timeoutMs, () => {
    isTimeout = true
    controller.abort()
  })
  const abort = () => controller.abort()
  request.signal?.addEventListener('abort', abort)
  try {
    const response = await fetch(baseUrl + request.path, {
      method: 'POST',
      headers: {
        ...request.headers,
        ...(request.body && { 'Content-Type': 'application/json' }),
        ...(request.usesCookie && { 'X-JWT-Auth-Transport': 'cookie' }),
      },
      ...(request.body && { body: JSON.stringify(request.body) }),
      ...(request.usesCookie && { credentials: 'include' as const }),
      // A redirect could send the body with its secrets to another origin.
      redirect: 'error',
      keepalive: request.keepalive ?? false,
      signal: controller.signal,
    })
    const body = parseBody(await response.text())
    if (response.ok && body) return body
    throw toError(response, body)
  } catch (cause) {
    if (cause instanceof AuthClientError) throw cause
    throw new AuthClientError(isTimeout ? 'timeout' : 'network_error', { cause })
  } finally {
    stopTimer()
    request.signal?.removeEventListener('abort', abort)
  }
}

const parseBody = (text: string): ResponseBody | undefined => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return undefined
  }
}

const toError = ({ status, headers }: Response, body: ResponseBody | undefined): AuthClientError =>
  new AuthClientError(body?.code ?? 'invalid_response', {
    status,
    message: body?.message,
    // A response from another origin shows the header only if the server exposes it.
    retryAfterSeconds: body?.data?.retry_after ?? (Number(headers.get('Retry-After')) || undefined),
  })

import { AuthClientError, refuse } from './auth-client-error.js'
import type { ClientSettings } from './environment.js'
import { parseJson, type Route, type SendRequest, type SentResponse, type Session } from './session-state.js'

/** The user name and the password of a login. */
export interface Credentials {
  /** The name that the user logs in with. */
  readonly username: string
  /** The password of the user. */
  readonly password: string
}

/**
 * Creates the calls of the routes of jwt-auth. A call that fails rejects with an {@link
 * AuthClientError}.
 */
export const createAuthRoutes = (
  { usesCookie, startTimer, page }: ClientSettings,
  baseUrl: string,
  sendRequest: SendRequest,
) => {
  /** Reads the tokens of a response. */
  const readSession = async (response: SentResponse): Promise<Session> => {
    const {
      access_token: _,
      user_id: id,
      user_email: email,
      user_nicename: nicename,
      user_display_name: displayName,
      token,
      refresh_token: refreshToken,
      expires_in: expiresInSeconds,
      token_type: __,
      ...profile
    } = await readBody(response)
    // If the server used the other transport (body or cookie), the first refresh would end the
    // session.
    if (!token || id === undefined || !refreshToken !== usesCookie) throw toError(response)
    return {
      accessToken: token,
      refreshToken,
      expiresInSeconds,
      ...response.binding,
      user: { ...profile, id, email, nicename, displayName },
    }
  }

  /** Sends a request to a route. The controller drops the request. */
  const send = async <T>(
    route: Route,
    read: (response: SentResponse) => Promise<T>,
    body?: object,
    session?: Session,
    withCookie = usesCookie,
  ): Promise<T> => {
    const controller = new AbortController()
    // A server hashes passwords one after the other, and delays the responses to wrong ones. Two
    // attempts fit in the 30 seconds in which the server accepts a refresh token again.
    const stopTimer = startTimer(route === '/token' ? 30_000 : 10_000, () =>
      controller.abort(new AuthClientError('timeout')),
    )
    try {
      const init: RequestInit = {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(!body && { Authorization: `Bearer ${session?.accessToken}` }),
          ...(withCookie && { 'X-JWT-Auth-Transport': 'cookie' }),
        },
        body: JSON.stringify(body),
        ...(withCookie && { credentials: 'include' }),
        // A redirect could send the body with its secrets to another origin.
        redirect: 'manual',
        // A revocation continues when the user leaves the page. With a cookie it must not: Chromium
        // cannot cancel such a request, whose response could still replace the cookie of a later
        // login.
        keepalive: !body && !withCookie,
        signal: controller.signal,
      }
      const sent = sendRequest(baseUrl + route, init, session, route)
      return await waitUnlessAborted(sent.then(read), controller.signal)
    } catch (cause) {
      if (cause instanceof AuthClientError) throw cause
      throw new AuthClientError('network_error', {
        cause,
        message: `${baseUrl}: ${page?.navigator.onLine === false ? 'offline' : 'unreachable or blocked (CORS)'}`,
      })
    } finally {
      stopTimer()
    }
  }

  return {
    readSession,
    login: (credentials: Credentials) => send('/token', readSession, { ...credentials }),
    /**
     * Exchanges a refresh token for new tokens. Without a refresh token, the browser sends its
     * cookie.
     */
    refresh: (session: Session | undefined) =>
      send('/token/refresh', readSession, { refresh_token: session?.refreshToken }, session),
    /** Ends a session. With a cookie, the response also clears the cookie. */
    revoke: (session: Session, withCookie: boolean) => send('/token/revoke', readBody, undefined, session, withCookie),
  }
}

/** The members of a response. A response may lack each of them. */
interface ResponseBody {
  readonly token?: string
  readonly refresh_token?: string
  readonly expires_in?: number
  readonly user_id?: number | string
  readonly user_email: string
  readonly user_nicename: string
  readonly user_display_name: string
  readonly access_token?: string
  readonly token_type?: string
  readonly code?: string
  readonly message?: string
  readonly data?: { readonly retry_after?: number }
  readonly sessions?: unknown
}

export type AuthRoutes = ReturnType<typeof createAuthRoutes>

/**
 * Returns the body of a response. Rejects for an error, and for a response that is not one of
 * jwt-auth.
 */
export const readBody = async (response: Response): Promise<ResponseBody> => {
  if (!response?.text) refuse('a Response', response)
  const body: ResponseBody | undefined = parseJson(await response.text())
  if (!response.ok || !body) throw toError(response, body)
  return body
}

/** Returns the error of a response. A response without a code is not one of jwt-auth. */
const toError = ({ ok, status, url, headers }: Response, body?: ResponseBody): AuthClientError => {
  const isKnown = typeof body?.code === 'string'
  return new AuthClientError(isKnown ? body.code : ok || status >= 400 ? 'invalid_response' : 'network_error', {
    status: status || undefined,
    message: isKnown ? body.message : `${url} responded ${status || 'by redirect'}: check baseUrl, transport`,
    // A response from another origin shows the header only if the server exposes it. `Math.abs`
    // converts the text of a header itself.
    retryAfterSeconds: Math.abs((body?.data?.retry_after ?? headers.get('Retry-After')) as number) || undefined,
  })
}

/**
 * Settles as the promise does, or rejects when the signal aborts. Some platforms ignore the signal
 * of `fetch`.
 */
export const waitUnlessAborted = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    // React Native, and browsers from before 2022, have no reason.
    const abort = () => reject(signal?.reason ?? Object.assign(new Error(), { name: 'AbortError' }))
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })

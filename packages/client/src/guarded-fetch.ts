import { waitUnlessAborted } from './auth-routes.js'
import type { SendRequest, Session } from './session-state.js'
import type { SharedState } from './shared-state.js'
import { requireSameUser, type Tokens } from './tokens.js'

/** The function `fetch` with an access token. */
export type GuardedFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Creates the function `fetch`.
 *
 * @param getSession resolves to a session with another access token than the one that a server
 * refused, or to `undefined`
 * @param origins where tokens may be sent
 * @param baseOrigin the origin of relative URLs
 */
export const createGuardedFetch =
  (
    shared: SharedState,
    getSession: Tokens['getSession'],
    sendRequest: SendRequest,
    origins: readonly string[],
    baseOrigin: string,
  ): GuardedFetch =>
  async (input, init) => {
    // A URL without a scheme belongs to the origin of `baseUrl`.
    const url = input instanceof Request ? input : String(input).replace(/^(?![a-z][\w+.-]*:)\/?/i, `${baseOrigin}/`)
    const request = new Request(url, init)
    const { headers, signal } = request
    const origin = findOrigin(request.url)
    // The members of `init` once more, besides its body: a Request keeps only those of the
    // standard, and Node forgets the signal of a Request that nobody references. A Request as
    // `init` has no members of its own.
    const options = { ...init, body: null, headers, signal: init?.signal ?? Object(input).signal }
    const send = (copy: Request, session?: Session) => {
      if (session) headers.set('Authorization', `Bearer ${session.accessToken}`)
      return sendRequest(copy, options, session)
    }
    // The platform removes the default port of an origin, and writes its host as that of a request.
    const isAllowed = origins.some((one) => findOrigin(new Request(one).url) === origin)
    if (!isAllowed || headers.has('Authorization')) return fetch(request, options)

    const session = await waitUnlessAborted(getSession(), signal)
    if (!session) return send(request)
    // A copy of a stream would keep all of the body in memory.
    const response = await send('duplex' in options ? request : request.clone(), session)
    if (
      response.status !== 401 ||
      // `fetch` removes the token from a request that is redirected to another origin.
      (response.redirected && findOrigin(response.url) !== origin) ||
      // A newer token does not help if the route requires a recent login (RFC 9470).
      response.headers.get('WWW-Authenticate')?.includes('_user_')
    )
      return response

    const replacing = getSession(session.accessToken)
      .then((next) => requireSameUser(next, session))
      .catch((failure: unknown): undefined => {
        // If the session has ended, the caller receives the 401 response and no error.
        if (shared.get().session) throw failure
      })
    const next = await waitUnlessAborted(replacing, signal)
    if (request.bodyUsed || !next) return response
    response.body?.cancel().catch(() => {})
    return send(request, next)
  }

/**
 * Returns the origin of an absolute URL with the scheme `http` or `https`, as text; `undefined` for
 * any other text, to which no token is sent. Accepts less than platforms do: no user name, no
 * backslash, no white space. The class URL of React Native cannot parse origins.
 */
export const findOrigin = (url: string): string | undefined =>
  /^https?:\/\/[^/?#\\@\s]+(?=[/?#]|$)/i.exec(url)?.[0].toLowerCase()

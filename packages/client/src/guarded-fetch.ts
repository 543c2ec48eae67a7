import { isUnauthorized, toBearer } from './auth-routes.js'
import { findOrigin } from './origin.js'
import type { Session } from './session-state.js'
import type { SharedState } from './shared-state.js'

/** The function `fetch` with an access token. */
export type GuardedFetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Creates the function `fetch`.
 *
 * @param getSession resolves to a session with a valid access token, or to `undefined`
 * @param replaceToken resolves to the session with another access token than the one that the server refused
 * @param origins where tokens may be sent
 * @param baseOrigin the origin of relative URLs
 */
export const createGuardedFetch =
  (
    getSession: () => Promise<Session | undefined>,
    replaceToken: (refused: Session) => Promise<Session>,
    shared: Pick<SharedState, 'get'>,
    origins: readonly (string | undefined)[],
    baseOrigin: string,
  ): GuardedFetch =>
  async (input, init = {}) => {
    const request = typeof input === 'object' && 'url' in input ? input : undefined
    const url = request?.url ?? resolveUrl(String(input), baseOrigin)
    const origin = findOrigin(url)
    const headers = new Headers(init.headers ?? request?.headers)
    const sendPlain = () => fetch(request ?? url, init)
    if (!origins.includes(origin) || headers.has('Authorization')) return sendPlain()

    const signal = init.signal ?? request?.signal
    const session = await waitUnlessAborted(getSession(), signal)
    if (!session || signal?.aborted) return sendPlain()

    const canRepeat = !isStream(init.body)
    const send = ({ accessToken }: Session, isLast: boolean) => {
      headers.set('Authorization', toBearer(accessToken))
      return fetch(isLast ? (request ?? url) : (request?.clone() ?? url), { ...init, headers })
    }
    const response = await send(session, !canRepeat)
    if (!isRefused(response, origin)) return response

    const replacing = replaceToken(session).catch((failure: unknown) => {
      // If the session has ended, the caller receives the 401 response and no error.
      if (canRepeat && shared.get().session) throw failure
    })
    if (!canRepeat) return response
    const next = await waitUnlessAborted(replacing, signal)
    if (signal?.aborted) return sendPlain()
    if (!next) return response
    response.body?.cancel().catch(() => {})
    return send(next, true)
  }

const resolveUrl = (url: string, baseOrigin: string): string => {
  const isAbsolute = /^[a-z][\w+.-]*:/i.test(url)
  return isAbsolute ? url : baseOrigin + url.replace(/^\/?/, '/')
}

/** Returns whether a server refused our token. A newer token does not help if the route requires a recent login (RFC 9470). */
const isRefused = (response: Response, origin: string | undefined): boolean =>
  isUnauthorized(response) &&
  // `fetch` removes the token from a request that is redirected to another origin.
  (!response.redirected || findOrigin(response.url) === origin) &&
  !response.headers.get('WWW-Authenticate')?.includes('insufficient_user_authentication')

/** Returns whether a body can be read only once. */
const isStream = (body: unknown): boolean => {
  const object = Object(body)
  return object.getReader ?? object[Symbol.asyncIterator]
}

/** Settles as the promise does, or resolves to `undefined` when the signal aborts. `fetch` then rejects with the reason. */
const waitUnlessAborted = <T>(promise: Promise<T>, signal: AbortSignal | null | undefined): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    const abort = () => resolve(undefined)
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })

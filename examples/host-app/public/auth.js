import { dpop } from './client/dpop.js'
import { createAuthClient, localStorageTokenStore } from './client/index.js'

const transportKey = 'host-app transport'

/** @returns {'body' | 'cookie'} */
const readTransport = () => {
  const chosen = new URLSearchParams(location.search).get('transport')
  if (chosen !== null) {
    localStorage.setItem(transportKey, chosen)
    history.replaceState(null, '', location.pathname)
  }
  return localStorage.getItem(transportKey) === 'cookie' ? 'cookie' : 'body'
}

/** How the refresh token travels: chosen by a link of the page, and the same in all tabs. */
export const transport = readTransport()

// A page has one client. The other tabs load the page again after another choice.
addEventListener('storage', ({ key }) => {
  if (key === transportKey) location.reload()
})

/** The URL of the routes of jwt-auth. The page may be below a base path. */
export const baseUrl = new URL('jwt-auth/v1', document.baseURI).href

const storeKey = `host-app ${transport}`

/** The keys that sessions are bound to. */
export const keys = dpop()

/** The client of the page. */
export const auth = createAuthClient({
  baseUrl,
  transport,
  // Two keys, because the two transports keep different things.
  tokenStore: localStorageTokenStore(storeKey),
  dpop: keys,
})

/** Returns the refresh token that every script of this origin can read. */
export const copyRefreshToken = () => JSON.parse(localStorage.getItem(storeKey) ?? '{}').session?.refreshToken

/** Shown when the server has ended the session. Only a user may learn the reason. */
export const sessionEnded = 'Your session ended on the server. Sign in as the same user to see why.'

/**
 * Requests a route of this site with the access token.
 *
 * @param {string} path relative to the page
 * @param {RequestInit} [init]
 */
export const request = (path, init) => auth.fetch(new URL(path, document.baseURI), init)

/**
 * Requests a route of this site and returns the JSON of its response. Rejects with the message of an error response.
 *
 * @param {string} path relative to the page
 * @param {RequestInit} [init]
 */
export const requestJson = async (path, init) => {
  const response = await request(path, init)
  if (!response.ok) throw await toError(response)
  return response.status === 204 ? undefined : response.json()
}

/**
 * Converts an error response to an error.
 *
 * @param {Response} response
 */
export const toError = async (response) => {
  if (response.status === 401 && auth.getSnapshot().status === 'unauthenticated') return new Error(sessionEnded)
  const { code, message } = await response.json()
  return new Error(`${response.status} ${code}: ${message}`)
}

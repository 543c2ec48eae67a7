import { dpop } from './client/dpop.js'
import { createAuthClient, localStorageTokenStore } from './client/index.js'

const transportKey = 'host-app transport'
const chosen = new URLSearchParams(location.search).get('transport')
if (chosen !== null) {
  localStorage.setItem(transportKey, chosen)
  history.replaceState(null, '', location.pathname)
}

/** How the refresh token travels: chosen by a link of the page, and the same in all tabs. */
export const transport = localStorage.getItem(transportKey) === 'body' ? 'body' : 'cookie'

// A page has one client. The other tabs load the page again after another choice, or the first login.
addEventListener('storage', ({ key }) => {
  if (key === transportKey) location.reload()
})

/** The URL of the routes of jwt-auth. The page may be below a base path. */
export const baseUrl = new URL('jwt-auth/v1', document.baseURI).href

/**
 * The client of the page, which looks for a session. A browser that has never signed in has no client.
 *
 * @type {import('./client/index.js').AuthClient}
 */
export let auth

/** Creates the client before the first login. */
export const createClient = () => {
  localStorage.setItem(transportKey, transport)
  auth ??= createAuthClient({
    baseUrl,
    transport,
    // Two keys, because the two transports keep different things.
    tokenStore: localStorageTokenStore(`host-app ${transport}`),
    // No script can copy the key of a session out of the browser.
    dpop: dpop(),
  })
}
if (localStorage.getItem(transportKey) !== null) createClient()

/**
 * Requests a route of this site with the access token. Rejects with the message of an error response.
 *
 * @param {string} path relative to the page
 * @param {RequestInit} [init]
 */
export const request = async (path, init) => {
  const response = await auth.fetch(new URL(path, document.baseURI), init)
  if (response.ok) return response
  const { code, message } = await response.json()
  throw new Error(`${response.status} ${code}: ${message}`)
}

/**
 * Decodes the claims of an access token. Only a page that explains tokens needs them: `expires_in` says how long a token is valid.
 *
 * @param {string} token
 */
export const readClaims = (token) => {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}

import { auth, request, transport } from './auth.js'
import { create, find, onClick } from './dom.js'

/** @typedef {Readonly<Record<string, unknown>> & { readonly exp: number, readonly sid: string }} Claims */

/**
 * Decodes the claims of an access token. Only a page that explains tokens needs them: `expires_in` says how long a token is valid.
 *
 * @param {string} token
 * @returns {Claims}
 */
export const readClaims = (token) => {
  const [, payload = ''] = token.split('.')
  const bytes = Uint8Array.from(atob(payload.replaceAll('-', '+').replaceAll('_', '/')), (byte) => byte.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes))
}

const meanings = /** @type {const} */ ({
  iss: 'issuer',
  sub: 'user',
  aud: 'audience',
  sid: 'session',
  jti: 'token',
  iat: 'issued',
  nbf: 'valid from',
  exp: 'valid until',
  auth_time: 'signed in',
  data: 'data',
})

const times = ['iat', 'nbf', 'exp', 'auth_time']

/** @type {Claims | undefined} */
let claims

/** Shows the claims of the current access token, after a refresh if the token has expired. */
export const showToken = async () => {
  const token = await auth.getAccessToken()
  if (token === undefined) return
  claims = readClaims(token)
  find('claims').replaceChildren(...Object.entries(claims).flatMap(([name, value]) => describeClaim(name, value)))
  showRemaining()
}

/** Returns the claims that were shown last. */
export const getClaims = () => claims

/**
 * @param {string} name
 * @param {unknown} value
 */
const describeClaim = (name, value) => {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const shown = times.includes(name) ? new Date(Number(value) * 1_000).toLocaleTimeString() : text
  const meaning = Object.entries(meanings).find(([known]) => known === name)?.[1]
  return [
    create('dt', {}, create('code', {}, name), meaning === undefined ? '' : ` ${meaning}`),
    create('dd', { title: text }, shown),
  ]
}

// By the clock of this device, to show it. The client measures the time since the response instead.
const showRemaining = () => {
  if (claims === undefined) return
  const seconds = Math.ceil(claims.exp - Date.now() / 1_000)
  find('remaining').textContent =
    seconds > 0 ? `Valid for another ${toDuration(seconds)}` : 'Expired. The next call gets a new token.'
}

/** @param {number} seconds */
const toDuration = (seconds) =>
  seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`

/** Connects the elements of the section. */
export const startAccessToken = () => {
  find('transport').textContent =
    transport === 'cookie' ? 'The refresh token is in an HttpOnly cookie.' : 'The refresh token is in localStorage.'
  setInterval(showRemaining, 1_000)
  onClick(find('call-route'), async () => {
    const before = claims?.['jti']
    const response = await request('api/reports')
    const result = find('route-result')
    result.hidden = false
    result.textContent = `GET api/reports → ${response.status}\n${JSON.stringify(await response.json(), null, 2)}`
    await showToken()
    if (before !== claims?.['jti']) result.textContent += '\n\nThe client refreshed the access token for this call.'
  })
}

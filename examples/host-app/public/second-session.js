import { readClaims } from './access-token.js'
import { baseUrl } from './auth.js'

/**
 * A second session of the user, for experiments. Its requests are written by hand: the client of the page would make none of these
 * mistakes.
 *
 * @typedef {object} SecondSession
 * @property {string} id
 * @property {string} accessToken
 * @property {string} refreshToken the current one
 */

/** @type {SecondSession | undefined} */
let session

/** Names of the refresh tokens in the order of their appearance. @type {Map<string, string>} */
const names = new Map()

/** @returns {SecondSession | undefined} */
export const getSecondSession = () => session

export const getSecondSessionId = () => session?.id

/** Returns the name of a refresh token in the drawing, such as `R2`. @param {string} refreshToken */
export const nameOf = (refreshToken) => {
  const name = names.get(refreshToken) ?? `R${names.size + 1}`
  names.set(refreshToken, name)
  return name
}

/**
 * Signs in.
 *
 * @param {string} username
 * @param {string} password
 */
export const openSecondSession = async (username, password) => {
  const response = await post('/token', { username, password })
  if (response.status !== 200) throw new Error(`${response.status} ${response.body.code}: ${response.body.message}`)
  names.clear()
  adopt(response.body)
}

/** Forgets the session, after it ended. */
export const forgetSecondSession = () => {
  session = undefined
}

/**
 * Sends a refresh token.
 *
 * @param {string} refreshToken
 */
export const refresh = (refreshToken) => post('/token/refresh', { refresh_token: refreshToken })

/**
 * Keeps the tokens of a response, as a client does.
 *
 * @param {{ readonly token: string, readonly refresh_token: string }} body
 */
export const adopt = ({ token, refresh_token }) => {
  session = { id: readClaims(token).sid, accessToken: token, refreshToken: refresh_token }
}

/**
 * @param {string} path
 * @param {object} body
 */
const post = async (path, body) => {
  const response = await fetch(baseUrl + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: await response.json() }
}

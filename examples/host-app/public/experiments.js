import { baseUrl, readClaims, request } from './auth.js'
import { create, find, onClick, onSubmit, show } from './dom.js'
import { showSessions } from './sessions.js'

// A second session of the user. Its requests are written by hand: the client of the page would make none of these mistakes.
/** @type {{ readonly id: string, readonly accessToken: string, readonly refreshToken: string } | undefined} */
let session

/** @param {string} name */
const readSetting = (name) => document.querySelector(`meta[name="${name}"]`)?.getAttribute('content') ?? ''

/** How long a replaced refresh token is accepted. */
const graceSeconds = Number(readSetting('refresh-grace-seconds'))
const otherInstance = readSetting('other-instance')

/** Connects the elements of the section. */
export const startExperiments = () => {
  find('grace').textContent = `${graceSeconds} s`
  find('revoke-elsewhere').hidden = otherInstance === ''
  find('other-instance').textContent = otherInstance || 'unknown: set OTHER_INSTANCE, as the README of this site says'

  onSubmit('open-second', async ({ username = '', password = '' }, form) => {
    const { status, body } = await post('/token', { username, password })
    if (status !== 200) throw new Error(`${status} ${body.code}: ${body.message}`)
    adopt(body)
    form.reset()
    find('steps').replaceChildren()
    record(`The page signs in and receives the refresh token ${name(body.refresh_token)}.`)
    await showSessions()
  })
  onExperiment('lose-response', loseResponse)
  onExperiment('five-tabs', refreshInFiveTabs)
  onExperiment('old-token', useOldToken)
  onExperiment('revoke-elsewhere', revokeElsewhere)
}

/**
 * @param {string} id the id of its button
 * @param {(current: NonNullable<typeof session>) => Promise<void>} run
 */
const onExperiment = (id, run) =>
  onClick(find(id), async () => {
    if (session === undefined) return show('Open a second session first: enter your password.')
    const { id } = session
    await run(session)
    const { end_reason: reason } = await (await request(`api/sessions/${id}`)).json()
    if (reason === null) return
    record(`The session has ended: ${reason}`)
    session = undefined
    await showSessions()
  })

/** @param {string} sentence */
const record = (sentence) => find('steps').append(create('li', {}, sentence))

/** Returns a short name of a refresh token. @param {string} refreshToken */
const name = (refreshToken) => `…${refreshToken.slice(-6)}`

/**
 * @param {string} path
 * @param {object} body
 */
const post = async (path, body) => {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, body: await response.json() }
}

/**
 * Sends a refresh token and records the result. Keeps the tokens of a successful response, as a client does.
 *
 * @param {string} refreshToken
 */
const refresh = async (refreshToken) => {
  const { status, body } = await post('/token/refresh', { refresh_token: refreshToken })
  if (status === 200) adopt(body)
  const received = status === 200 ? name(body.refresh_token) : body.code
  record(`The page sends ${name(refreshToken)}. The server responds with ${status} and ${received}.`)
}

/** @param {{ readonly token: string, readonly refresh_token: string }} body */
const adopt = ({ token, refresh_token }) => {
  session = { id: readClaims(token).sid, accessToken: token, refreshToken: refresh_token }
}

/** @param {NonNullable<typeof session>} current */
const loseResponse = async ({ refreshToken }) => {
  await post('/token/refresh', { refresh_token: refreshToken })
  record(`The page sends ${name(refreshToken)}. The server replaces the token, but the page throws its response away.`)
  await refresh(refreshToken)
}

/** @param {NonNullable<typeof session>} current */
const refreshInFiveTabs = async ({ refreshToken }) => {
  await Promise.all(Array.from({ length: 5 }, () => refresh(refreshToken)))
}

/** @param {NonNullable<typeof session>} current */
const useOldToken = async ({ refreshToken }) => {
  await refresh(refreshToken)
  record(`The page waits for ${graceSeconds} s. The server then takes ${name(refreshToken)} for a stolen token.`)
  await new Promise((resolve) => setTimeout(resolve, graceSeconds * 1_000 + 100))
  await refresh(refreshToken)
}

/** @param {NonNullable<typeof session>} current */
const revokeElsewhere = async ({ accessToken }) => {
  const headers = { Authorization: `Bearer ${accessToken}` }
  const revoked = await fetch(new URL('api/other-instance/revoke', document.baseURI), { method: 'POST', headers })
  record(`The session is revoked on ${otherInstance}. The response is ${revoked.status}.`)
  const { status } = await fetch(new URL('api/reports', document.baseURI), { headers })
  record(`This instance responds to the access token with ${status}, although the token has not expired.`)
}

import { showToken } from './access-token.js'
import { auth, baseUrl, requestJson, transport } from './auth.js'
import { showDevices } from './devices.js'
import { onSubmit, show } from './dom.js'
import { forgetSession, rememberSession } from './ended-session.js'

/** Connects the form. The change ends all sessions, and the server responds with tokens of a new one. */
export const startPassword = () =>
  onSubmit('change-password', async ({ username = '', current = '', changed = '' }, form) => {
    const { token } = await requestJson('api/account/password', {
      method: 'PUT',
      headers: {
        'Content-Type': 'application/json',
        ...(transport === 'cookie' && { 'X-JWT-Auth-Transport': 'cookie' }),
      },
      body: JSON.stringify({ current_password: current, new_password: changed }),
    })
    forgetSession()
    if (transport === 'body') await logInAgain(username, changed, token)
    form.reset()
    // With the new cookie, the refusal of the old access token leads to a refresh.
    await showDevices()
    await showToken()
    rememberSession()
    show('The password has changed. All other sessions have ended.', 'success')
  })

/**
 * The client takes its tokens from a login only, so the session of the response is not needed.
 *
 * @param {string} username
 * @param {string} password
 * @param {string} unused the access token of the response
 */
const logInAgain = async (username, password, unused) => {
  await auth.login({ username, password })
  await fetch(`${baseUrl}/token/revoke`, { method: 'POST', headers: { Authorization: `Bearer ${unused}` } })
}

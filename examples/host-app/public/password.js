import { showToken } from './access-token.js'
import { auth, request, toError, transport } from './auth.js'
import { showDevices } from './devices.js'
import { onSubmit, show } from './dom.js'
import { forgetSession, rememberSession } from './ended-session.js'
import { showKey } from './session-key.js'

/** Connects the form. The change ends all sessions, and the server responds with tokens of a new one. */
export const startPassword = () =>
  onSubmit('change-password', async ({ current = '', changed = '' }, form) => {
    const response = await request('api/account/password', {
      method: 'PUT',
      headers: {
        'Content-Type': 'application/json',
        // The client replaces the value by a proof, to which the server binds the new session.
        DPoP: 'proof',
        ...(transport === 'cookie' && { 'X-JWT-Auth-Transport': 'cookie' }),
      },
      body: JSON.stringify({ current_password: current, new_password: changed }),
    })
    if (!response.ok) throw await toError(response)
    forgetSession()
    await auth.loginWithResponse(response)
    form.reset()
    await showDevices()
    await showToken()
    showKey()
    rememberSession()
    show('The password has changed. All other sessions have ended.', 'success')
  })

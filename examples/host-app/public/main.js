import { auth, createClient, readClaims, request, transport } from './auth.js'
import { find, onClick, onSubmit, show } from './dom.js'
import { startExperiments } from './experiments.js'
import { showSessions, startSessions } from './sessions.js'

/** Shows what belongs to the state of the session: in this tab, and after a change in another tab. */
const update = async () => {
  const { status, user } = auth?.getSnapshot() ?? { status: 'unauthenticated' }
  find('signed-out').hidden = status !== 'unauthenticated'
  find('signed-in').hidden = status !== 'authenticated'
  find('sign-out').hidden = status !== 'authenticated'
  if (status === 'loading') find('who').textContent = 'Looking for a session …'
  else find('who').textContent = user === undefined ? 'Signed out' : `Signed in as ${user.displayName}`
  // The nicename of a user of this site is the user name. Password managers read it, too.
  for (const input of document.querySelectorAll('input.user')) input.setAttribute('value', user?.nicename ?? '')
  if (status === 'authenticated') await showSession().catch((error) => show(String(error), 'failure'))
}

const showSession = async () => {
  const token = await auth.getAccessToken()
  if (token === undefined) return
  const claims = readClaims(token)
  find('claims').textContent = JSON.stringify(claims, null, 2)
  find('valid-until').textContent = new Date(claims.exp * 1_000).toLocaleTimeString()
  await showSessions()
}

find('loading').hidden = true
find(`transport-${transport}`).setAttribute('aria-current', 'true')

onSubmit('sign-in', async ({ username = '', password = '' }, form) => {
  createClient()
  auth.subscribe(update)
  await auth.login({ username, password })
  form.reset()
  find('token-title').focus()
})

onClick(find('sign-out'), async () => {
  await auth.logout()
  find('sign-in-title').focus()
})

onClick(find('call-route'), async () => {
  const response = await request('api/reports')
  const result = find('route-result')
  result.hidden = false
  result.textContent = `GET api/reports → ${response.status}\n${JSON.stringify(await response.json(), null, 2)}`
  await showSession()
})

// The change ends all sessions, and the server responds with tokens of a new one.
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
  await auth.loginWithResponse(response)
  form.reset()
  await showSession()
  show('The password has changed. All other sessions have ended.', 'success')
})

startSessions()
startExperiments()
auth?.subscribe(update)
update()

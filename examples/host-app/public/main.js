import { showToken, startAccessToken } from './access-token.js'
import { auth, transport } from './auth.js'
import { showDevices, startDevices } from './devices.js'
import { describe, find, onClick, onSubmit, show } from './dom.js'
import { announceEnd, explainLastSession, rememberSession } from './ended-session.js'
import { clearExperiments, startExperiments } from './experiments.js'
import { startPassword } from './password.js'
import { showKey, startKey } from './session-key.js'
import { signOut } from './sign-out.js'

/** @type {number | string | undefined} */
let userId

/** Shows what belongs to the state of the session: in this tab, and after a change in another tab. */
const update = async () => {
  const { status, user } = auth.getSnapshot()
  if (user?.id !== userId) clearExperiments()
  userId = user?.id
  find('signed-out').hidden = status !== 'unauthenticated'
  find('signed-in').hidden = status !== 'authenticated'
  find('sign-out').hidden = status !== 'authenticated'
  // The nicename of a user of this site is the user name. Password managers read it, too.
  for (const input of document.querySelectorAll('input.user')) input.setAttribute('value', user?.nicename ?? '')
  if (status === 'loading') find('who').textContent = 'Looking for a session …'
  else find('who').textContent = user === undefined ? 'Signed out' : `Signed in as ${user.displayName}`
  if (status === 'unauthenticated') announceEnd()
  if (status === 'authenticated') await showSession().catch((error) => show(describe(error), 'failure'))
}

const showSession = async () => {
  await showToken()
  showKey()
  await explainLastSession()
  rememberSession()
  await showDevices()
}

find('loading').hidden = true
find(`transport-${transport}`).setAttribute('aria-current', 'true')

onSubmit('sign-in', async ({ username = '', password = '' }, form) => {
  show('')
  await auth.login({ username, password })
  form.reset()
  find('token-title').focus()
})
onClick(find('sign-out'), async () => {
  await signOut()
  find('sign-in-title').focus()
})
startAccessToken()
startKey()
startDevices()
startPassword()
startExperiments()

auth.subscribe(update)
update()

import { showToken, startAccessToken } from './access-token.js'
import { auth, transport } from './auth.js'
import { find, onClick, onSubmit, show } from './dom.js'

find('loading').hidden = true
find(`transport-${transport}`).setAttribute('aria-current', 'true')

onSubmit('sign-in', async ({ username = '', password = '' }, form) => {
  show('')
  await auth.login({ username, password })
  form.reset()
})

onClick(find('sign-out'), async () => {
  await auth.logout()
  show('You signed out.')
})

startAccessToken()

const update = async () => {
  const { status, user } = auth.getSnapshot()
  find('signed-out').hidden = status !== 'unauthenticated'
  find('signed-in').hidden = status !== 'authenticated'
  find('sign-out').hidden = status !== 'authenticated'
  find('who').textContent =
    status === 'loading'
      ? 'Looking for a session …'
      : user === undefined
        ? 'Signed out'
        : `Signed in as ${user.displayName}`
  if (status === 'authenticated') await showToken()
}

auth.subscribe(update)
update()

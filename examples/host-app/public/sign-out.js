import { auth } from './auth.js'
import { show } from './dom.js'
import { forgetSession } from './ended-session.js'

/** Ends the session of this browser, in all tabs. */
export const signOut = async () => {
  forgetSession()
  await auth.logout()
  show('You signed out.')
}

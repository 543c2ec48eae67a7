import { isSessionEnd } from './auth-routes.js'
import type { UseLogoutNote } from './logout-note.js'
import type { Revoke } from './revocation.js'
import type { SharedState } from './shared-state.js'
import type { Tokens } from './tokens.js'

/** Creates the function that finds the session from before the page load. It rejects if the server did not respond. */
export const createLoading =
  (
    name: string,
    shared: SharedState,
    tokens: Tokens,
    revoke: Revoke,
    useNote: UseLogoutNote,
    usesCookie: boolean,
  ): (() => Promise<void>) =>
  async () => {
    if (!shared.isLoading()) return
    if (!usesCookie) {
      await shared.syncStore()
      if (!shared.get().session) await shared.askTabs()
    } else if ((await useNote('get')) === name) {
      revoke(undefined, true)
    } else {
      try {
        await tokens.refresh()
      } catch (failure) {
        if (shared.isLoading() && !isSessionEnd(failure)) throw failure
      }
    }
    shared.finishLoading()
  }

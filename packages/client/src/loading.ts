import type { UseLogoutNote } from './logout-note.js'
import type { Revoke } from './revocation.js'
import type { SharedState } from './shared-state.js'
import type { Tokens } from './tokens.js'

/** Creates the function that finds the session from before the page load. It rejects if the server did not respond. */
export const createLoading =
  (
    shared: SharedState,
    tokens: Tokens,
    revoke: Revoke,
    useNote: UseLogoutNote,
    usesCookie: boolean,
  ): (() => Promise<void>) =>
  async () => {
    if (!shared.isLoading()) return
    if (!usesCookie) {
      await shared.sync()
    } else if (await useNote('get')) {
      revoke(undefined, true)
    } else {
      await tokens.refresh().catch((failure) => {
        if (shared.isLoading()) throw failure
      })
    }
    shared.endLoading()
  }

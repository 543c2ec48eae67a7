import type { Environment } from './environment.js'
import { toDelayMs } from './retry.js'
import { formatState, isNewer, parseState, type SessionState } from './session-state.js'
import type { TokenStore } from './token-stores.js'

/**
 * Creates the function that loads a newer state from the store, or stores the state of this tab. After a failure, it runs again with
 * growing delays. With `ifFailed`, it runs only if the last run failed, and no other has started since.
 *
 * @param store absent if nothing of the session may be stored
 * @param onMissing called when the store has lost a state that it had
 */
export const createStoreSync = (
  name: string,
  store: TokenStore | undefined,
  { startTimer }: Environment,
  getState: () => SessionState,
  setState: (next: SessionState) => void,
  onMissing: () => void,
): ((ifFailed?: boolean) => Promise<void>) => {
  let syncedState: SessionState | undefined
  let syncing = Promise.resolve()
  let isFailed = false
  let failures = 0
  let stopTimer = () => {}

  const sync = async (): Promise<void> => {
    if (!store) return
    const text = await store.get(name)
    const stored = parseState(text, name)
    const current = getState()
    if (stored && isNewer(stored, current)) {
      setState(stored)
    } else if (syncedState === current && current.session && !stored) {
      // Another tab has logged out while this one received no messages. The text of another client says nothing.
      if (!text) onMissing()
    } else if (stored ? isNewer(current, stored) : current.session) {
      await (current.session ? store.set(formatState(current, name), name) : store.clear(name))
      syncedState = current
      return
    }
    syncedState = getState()
  }

  const run = (ifFailed?: boolean): Promise<void> => {
    if (!ifFailed || isFailed) {
      isFailed = false
      // One after the other, so that a slow write never replaces a later one. While the store fails, this tab works from its memory.
      syncing = syncing.then(async () => {
        stopTimer()
        try {
          await sync()
          failures = 0
        } catch {
          isFailed = true
          stopTimer = startTimer(toDelayMs(failures++), run, true)
        }
      })
    }
    return syncing
  }
  return run
}

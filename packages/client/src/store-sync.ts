import type { ClientSettings } from './environment.js'
import { toDelayMs } from './retry.js'
import { isNewer, parseState, type Session, type SessionState } from './session-state.js'

/**
 * Creates the function that loads a newer state from the store, or stores the state of this tab.
 * After a failure, it runs again with growing delays. With `ifFailed`, it runs only if the last run
 * failed, and no other has started since. It calls `revoke` with a session that a logout did not
 * know, because the store failed.
 */
export const createStoreSync = (
  { name, store, usesCookie, startTimer }: ClientSettings,
  getState: () => SessionState,
  setState: (next: SessionState) => void,
  endSession: () => void,
): ((ifFailed?: boolean, revoke?: Revoke) => Promise<void>) => {
  let syncedState: SessionState | undefined
  let syncing = Promise.resolve()
  let failures = 0
  let stopTimer: (() => void) | undefined
  let revoke: Revoke | undefined

  const sync = async (): Promise<void> => {
    if (usesCookie) return
    const text = await store.get(name)
    const stored = parseState(text, name)
    let current = getState()
    if (stored && isNewer(stored, current)) {
      setState(stored)
      current = stored
    } else if (!current.session) {
      if (stored) {
        await store.clear(name)
        if (failures) revoke?.(stored.session)
      }
    } else if (stored ? isNewer(current, stored) : syncedState !== current) {
      // The text names the client, whose tokens must not reach another service.
      await store.set(JSON.stringify({ ...current, name }), name)
      if (!parseState(await store.get(name), name)) throw new TypeError('text changed')
    } else if (!text) {
      // Another tab has logged out while this one received no messages. The text of another client
      // says nothing.
      endSession()
    }
    syncedState = current
  }

  const run = (ifFailed?: boolean, newRevoke = revoke): Promise<void> => {
    revoke = newRevoke
    if (!ifFailed || failures) {
      // One after the other, so that a slow write never replaces a later one. While the store
      // fails, this tab works from its memory.
      syncing = syncing.then(async () => {
        stopTimer?.()
        try {
          await sync()
          failures = 0
        } catch (failure) {
          // biome-ignore lint/suspicious/noConsole: only the developer of a page can act on it
          if (!stopTimer) console.warn(`${name}: tokenStore`, failure)
          stopTimer = startTimer(toDelayMs(failures++), run, true)
        }
      })
    }
    return syncing
  }
  return run
}

type Revoke = (session: Session | undefined) => void

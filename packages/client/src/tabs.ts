import type { ClientSettings } from './environment.js'
import { isNewer, type SessionState } from './session-state.js'

/** Connects this tab to the other tabs of the browser. */
export const createTabs = (
  { name, page, startTimer }: ClientSettings,
  getState: () => SessionState,
  onNewer: (state: SessionState) => void,
) => {
  let stopAsking: (() => void) | undefined
  const channel = page?.BroadcastChannel && new page.BroadcastChannel(name)
  const tell = () => channel?.postMessage(getState())
  if (channel) {
    channel.onmessage = ({ data }) => {
      if (isNewer(data, getState())) {
        onNewer(data)
        stopAsking?.()
      } else if (isNewer(getState(), data)) tell()
    }
    // In Node, where tests run pages, a channel keeps the process running.
    channel.unref?.()
  }

  return {
    /** Sends the state to all tabs. A tab with a newer one sends it back. */
    tell,
    /**
     * Sends the state too. Resolves when a newer one arrives, or after a brief wait, since nobody
     * may be listening.
     */
    ask: async (): Promise<unknown> =>
      channel &&
      new Promise<void>((resolve) => {
        startTimer(50, resolve)
        stopAsking = resolve
        tell()
      }),
  }
}

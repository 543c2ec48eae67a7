/** What happens in a page besides its timers. All numbers but the last three only grow. */
export interface PageActivity {
  /** How many requests started and ended, and how many locks changed hands. */
  readonly steps: number
  /** The messages to other tabs. */
  readonly sent: number
  /** The messages from other tabs. */
  readonly received: number
  /** The requests in flight. */
  readonly requests: number
  readonly waitingForLock: number
  readonly holdingLock: number
}

/** The functions of a page that are watched. */
export interface WatchablePage {
  fetch: typeof fetch
  readonly Response: { readonly prototype: { text: () => Promise<string> } }
  readonly BroadcastChannel?: { readonly prototype: object } | undefined
  readonly navigator: {
    readonly locks?: {
      request: (name: string, options: object, run: () => Promise<unknown>) => Promise<unknown>
    }
  }
}

/** Counts the requests, the locks and the messages of a page from now on. */
export const watchPage = (page: WatchablePage, startRealTimer: (callback: () => void) => void) => {
  let steps = 0
  let sent = 0
  let received = 0
  let requests = 0
  let waitingForLock = 0
  let holdingLock = 0

  const startRequest = () => {
    steps++
    requests++
  }
  // In a later task, when the callers have continued.
  const endRequest = () =>
    startRealTimer(() => {
      steps++
      requests--
    })
  const watchCall = <T>(call: () => Promise<T>): Promise<T> => {
    startRequest()
    const result = call()
    result.then(endRequest, endRequest)
    return result
  }

  const { fetch } = page
  page.fetch = (input, init) => watchCall(() => fetch.call(page, input, init))
  const { text } = page.Response.prototype
  page.Response.prototype.text = function () {
    return watchCall(() => text.call(this))
  }

  const { locks } = page.navigator
  if (locks) {
    const request = locks.request.bind(locks)
    locks.request = async (name, options, run) => {
      steps++
      waitingForLock++
      let isGranted = false
      try {
        return await request(name, options, async () => {
          isGranted = true
          steps++
          waitingForLock--
          holdingLock++
          try {
            return await run()
          } finally {
            steps++
            holdingLock--
          }
        })
      } finally {
        if (!isGranted) {
          steps++
          waitingForLock--
        }
      }
    }
  }

  const channel = page.BroadcastChannel?.prototype
  if (channel) {
    const { postMessage } = channel as { readonly postMessage: (message: unknown) => void }
    const listeners = Object.getOwnPropertyDescriptor(channel, 'onmessage')
    Object.defineProperties(channel, {
      postMessage: {
        value(message: unknown) {
          sent++
          postMessage.call(this, message)
        },
      },
      onmessage: {
        set(listener: (event: unknown) => void) {
          listeners?.set?.call(this, (event: unknown) => {
            received++
            listener(event)
          })
        },
      },
    })
  }

  return { read: (): PageActivity => ({ steps, sent, received, requests, waitingForLock, holdingLock }) }
}

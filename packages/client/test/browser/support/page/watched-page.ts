/** What happens in a page besides its timers. All numbers but the last four only grow. */
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
  /** The calls of WebCrypto and the connections to IndexedDB in progress. */
  readonly computing: number
}

/** The functions of a page that are watched. */
export interface WatchablePage {
  fetch: typeof fetch
  readonly Response: { readonly prototype: { text: () => Promise<string> } }
  readonly BroadcastChannel?: { readonly prototype: object } | undefined
  readonly crypto: {
    readonly subtle: Record<'generateKey' | 'exportKey' | 'sign' | 'digest', (...args: unknown[]) => Promise<unknown>>
  }
  readonly indexedDB: { open: (name: string) => EventTarget & { readonly result: WatchableDatabase } }
  readonly navigator: {
    readonly locks?: {
      request: (name: string, options: object, run: () => Promise<unknown>) => Promise<unknown>
    }
  }
}

interface WatchableDatabase {
  transaction: (...args: unknown[]) => EventTarget
}

/** Counts the requests, the calculations, the locks and the messages of a page from now on. */
export const watchPage = (page: WatchablePage, startRealTimer: (callback: () => void) => void) => {
  let steps = 0
  let sent = 0
  let received = 0
  let requests = 0
  let waitingForLock = 0
  let holdingLock = 0
  let computing = 0

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

  const startComputing = () => {
    steps++
    computing++
  }
  const endComputing = () =>
    startRealTimer(() => {
      steps++
      computing--
    })
  for (const name of ['generateKey', 'exportKey', 'sign', 'digest'] as const) {
    const call = page.crypto.subtle[name].bind(page.crypto.subtle)
    page.crypto.subtle[name] = (...args) => {
      startComputing()
      return call(...args).finally(endComputing)
    }
  }
  const open = page.indexedDB.open.bind(page.indexedDB)
  page.indexedDB.open = (name) => {
    startComputing()
    const opening = open(name)
    // The client closes its connection when it starts its only transaction.
    opening.addEventListener('success', () => {
      const { transaction } = opening.result
      opening.result.transaction = (...args) => {
        const started = transaction.apply(opening.result, args)
        started.addEventListener('complete', endComputing)
        return started
      }
    })
    return opening
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

  return { read: (): PageActivity => ({ steps, sent, received, requests, waitingForLock, holdingLock, computing }) }
}

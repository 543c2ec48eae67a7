/** Settles as the promise does, or rejects when the signal aborts. Some platforms ignore the signal of `fetch`. */
export const waitUnlessAborted = <T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    // React Native, and browsers from before 2022, have no reason.
    const abort = () => reject(signal?.reason ?? Object.assign(new Error(), { name: 'AbortError' }))
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort)
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort))
  })

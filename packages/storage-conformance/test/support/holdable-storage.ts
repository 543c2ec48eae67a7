import type { SessionStorage } from '@jwt-auth/core'
import type { HoldBackend } from '@jwt-auth/storage-conformance'
import { untilAborted } from './until-aborted.js'
import { wrapCalls } from './wrap-calls.js'

/** Returns a storage whose calls wait while it is held, and the function that holds it. */
export const holdableStorage = (storage: SessionStorage): readonly [SessionStorage, HoldBackend] => {
  let released = Promise.resolve()
  const waiting = wrapCalls(storage, async (send, options) => {
    options?.signal?.throwIfAborted()
    await untilAborted(released, options?.signal)
    return send(options)
  })
  const hold: HoldBackend = () => {
    let release = () => {}
    released = new Promise((resolve) => {
      release = resolve
    })
    return release
  }
  return [waiting, hold]
}

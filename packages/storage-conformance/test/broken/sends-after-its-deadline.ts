import type { SessionStorage } from '@jwt-auth/core'
import { untilAborted } from '../support/until-aborted.js'
import { wrapCalls } from '../support/wrap-calls.js'

const mostInFlight = 10

/** Sends ten calls at a time. When the signal of a queued call aborts, rejects the call but sends it later. */
export const sendsAfterItsDeadline = (storage: SessionStorage): SessionStorage => {
  const waiting: (() => void)[] = []
  let inFlight = 0

  const inTurn = async <T>(send: () => Promise<T>): Promise<T> => {
    if (inFlight >= mostInFlight) await new Promise<void>((resolve) => waiting.push(resolve))
    inFlight += 1
    try {
      return await send()
    } finally {
      inFlight -= 1
      waiting.shift()?.()
    }
  }

  return wrapCalls(storage, async (send, options) => {
    options?.signal?.throwIfAborted()
    return untilAborted(inTurn(send), options?.signal)
  })
}

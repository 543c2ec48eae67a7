import type { ChildProcess } from 'node:child_process'
import type { InstanceMessage, InstanceReport, NumberedOrder, Order } from './instance-protocol.js'

/** The test's end of the channel to an instance. */
export interface OrderChannel {
  /** Resolves to the URL of the instance when it listens. Never settles when it does not. */
  readonly listening: Promise<string>
  /** Sends an order and waits for the response. Rejects when the instance has ended, or ends before it responds. */
  readonly send: (order: Order) => Promise<InstanceReport | null>
}

interface Waiter {
  readonly resolve: (response: InstanceReport | null) => void
  readonly reject: (reason: unknown) => void
}

/** Opens the channel to an instance that was started. */
export const createOrders = (child: ChildProcess): OrderChannel => {
  const waiting = new Map<number, Waiter>()
  let orders = 0
  let setUrl: (url: string) => void = () => {}

  child.on('message', (message: InstanceMessage) => {
    if ('listening' in message) {
      setUrl(message.listening)
      return
    }
    waiting.get(message.number)?.resolve(message.response)
    waiting.delete(message.number)
  })

  const toGone = (): Error => new Error('The instance has ended.')

  child.once('disconnect', () => {
    for (const { reject } of waiting.values()) reject(toGone())
    waiting.clear()
  })

  return {
    listening: new Promise((resolve) => {
      setUrl = resolve
    }),
    send: (order) =>
      new Promise((resolve, reject) => {
        if (!child.connected) throw toGone()
        orders += 1
        const numbered: NumberedOrder = { number: orders, order }
        waiting.set(orders, { resolve, reject })
        child.send(numbered, (failure) => failure && reject(failure))
      }),
  }
}

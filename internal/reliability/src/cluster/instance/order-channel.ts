import type { ChildProcess } from 'node:child_process'
import type { InstanceMessage, InstanceReport, NumberedOrder, Order } from './instance-protocol.js'

/** The parent's end of the channel to an instance. */
export interface OrderChannel {
  /** Settles with the instance's URL once it listens; stays open when it never does. */
  readonly listening: Promise<string>
  /** Gives an order and waits for its answer; rejects when the instance is gone, or goes first. */
  readonly give: (order: Order) => Promise<InstanceReport | null>
}

interface Waiter {
  readonly resolve: (answer: InstanceReport | null) => void
  readonly reject: (reason: unknown) => void
}

/** Opens the channel to an instance that was just started. */
export const createOrders = (child: ChildProcess): OrderChannel => {
  const waiting = new Map<number, Waiter>()
  let orders = 0
  let announce: (url: string) => void = () => {}

  child.on('message', (message: InstanceMessage) => {
    if ('listening' in message) {
      announce(message.listening)
      return
    }
    waiting.get(message.number)?.resolve(message.answer)
    waiting.delete(message.number)
  })

  const isGone = (): Error => new Error('The instance has ended.')

  child.once('disconnect', () => {
    for (const { reject } of waiting.values()) reject(isGone())
    waiting.clear()
  })

  return {
    listening: new Promise((resolve) => {
      announce = resolve
    }),
    give: (order) =>
      new Promise((resolve, reject) => {
        if (!child.connected) throw isGone()
        orders += 1
        const numbered: NumberedOrder = { number: orders, order }
        waiting.set(orders, { resolve, reject })
        child.send(numbered, (failure) => failure && reject(failure))
      }),
  }
}

import type { OrderMessage, Orders, ResultMessage } from './orders.js'

/** Carries out the orders of the parent process until the parent ends. The last line of a program. */
export const serveOrders = <O extends Orders<O>>(orders: O): void => {
  process.once('disconnect', () => process.exit(0))
  // Ctrl-C at a terminal reaches parent and children. The parent decides what to end.
  process.on('SIGINT', () => {})

  const carryOut = async ({ number, name, argument }: OrderMessage): Promise<ResultMessage> => {
    try {
      // The type of the parent's call ensures that name and argument match.
      const order = orders[name as keyof O]
      return { number, result: await order(argument) }
    } catch (failure) {
      return { number, failure: failure instanceof Error ? String(failure.stack) : String(failure) }
    }
  }

  process.on('message', (message: OrderMessage) => {
    // The parent may have ended in the meantime.
    void carryOut(message).then((response) => process.send?.(response, () => {}))
  })
}

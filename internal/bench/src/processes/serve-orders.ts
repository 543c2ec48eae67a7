import type { AnswerMessage, OrderMessage, Orders } from './orders.js'

/** Answers the orders of the parent process until it is gone. The last line of a program. */
export const serveOrders = <O extends Orders<O>>(orders: O): void => {
  process.once('disconnect', () => process.exit(0))
  // Ctrl-C at a terminal reaches parent and children alike, and the parent is the one to decide.
  process.on('SIGINT', () => {})

  const answer = async ({ number, name, argument }: OrderMessage): Promise<AnswerMessage> => {
    try {
      // The parent's type holds name and argument together.
      const order = orders[name as keyof O]
      return { number, answer: await order(argument) }
    } catch (failure) {
      return { number, failure: failure instanceof Error ? String(failure.stack) : String(failure) }
    }
  }

  process.on('message', (message: OrderMessage) => {
    // Should the parent be gone by then, nobody is left to tell.
    void answer(message).then((response) => process.send?.(response, () => {}))
  })
}

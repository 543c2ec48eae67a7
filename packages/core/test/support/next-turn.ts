/** Lets everything run that waits for nothing but the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

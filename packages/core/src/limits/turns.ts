/** Runs the work of one key one after another. `undefined` if too much work of the key waits already: the work does not run. */
export type TakeTurns = <T>(key: string, work: () => Promise<T>) => Promise<T> | undefined

/** Creates turns. `mostWaiting` is how much work of one key may be in progress or wait. */
export const createTurns = (mostWaiting: number): TakeTurns => {
  const queues = new Map<string, { length: number; last: Promise<unknown> }>()
  return (key, work) => {
    const queue = queues.get(key) ?? { length: 0, last: Promise.resolve() }
    if (queue.length === mostWaiting) return undefined
    queues.set(key, queue)
    queue.length += 1
    const turn = queue.last.then(work).finally(() => {
      queue.length -= 1
      if (queue.length === 0) queues.delete(key)
    })
    queue.last = turn.catch(() => {})
    return turn
  }
}

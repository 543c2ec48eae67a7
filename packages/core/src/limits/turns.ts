/** Whose turn it is: the work of one key takes turns, and the keys of one group share a bound. */
export interface TurnPlace {
  readonly key: string
  readonly group: string
}

/** How much work may be in progress or wait. */
export interface TurnBounds {
  readonly ofKey: number
  readonly ofGroup: number
  readonly ofAll: number
}

/** Runs the work of one key one after another. `undefined` if a bound is reached: the work does not run. */
export type TakeTurns = <T>(place: TurnPlace, work: () => Promise<T>) => Promise<T> | undefined

/** Creates turns. */
export const createTurns = (bounds: TurnBounds): TakeTurns => {
  const queues = new Map<string, { length: number; last: Promise<unknown> }>()
  const groups = new Map<string, number>()
  let all = 0

  const count = (group: string, change: 1 | -1): void => {
    const next = (groups.get(group) ?? 0) + change
    all += change
    if (next === 0) groups.delete(group)
    else groups.set(group, next)
  }

  return ({ key, group }, work) => {
    const queue = queues.get(key) ?? { length: 0, last: Promise.resolve() }
    const isFull = queue.length >= bounds.ofKey || (groups.get(group) ?? 0) >= bounds.ofGroup || all >= bounds.ofAll
    if (isFull) return undefined
    queues.set(key, queue)
    queue.length += 1
    count(group, 1)
    const turn = queue.last.then(work).finally(() => {
      queue.length -= 1
      count(group, -1)
      if (queue.length === 0) queues.delete(key)
    })
    queue.last = turn.catch(() => {})
    return turn
  }
}

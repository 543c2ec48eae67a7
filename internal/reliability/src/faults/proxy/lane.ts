import type { Socket } from 'node:net'

/** One direction of a connection. Bytes arrive in the order in which they were sent. */
export interface Lane {
  /** Delivers bytes after a delay. Delivers nothing after `lose`. */
  readonly carry: (chunk: Buffer, delayMs: number) => void
  /** Delivers all waiting bytes. */
  readonly release: () => void
  /** Drops all bytes from now on. */
  readonly lose: () => void
  readonly isLost: () => boolean
}

/** Creates the lane to a socket. */
export const createLane = (target: Socket): Lane => {
  let waiting: readonly { readonly chunk: Buffer; readonly dueAt: number }[] = []
  let timer: NodeJS.Timeout | undefined
  let lost = false

  const deliverUntil = (instant: number): void => {
    clearTimeout(timer)
    // Bytes behind delayed bytes wait for them.
    const firstLate = waiting.findIndex(({ dueAt }) => dueAt > instant)
    const due = firstLate === -1 ? waiting : waiting.slice(0, firstLate)
    waiting = waiting.slice(due.length)
    for (const { chunk } of due) target.write(chunk)
    const [next] = waiting
    if (next !== undefined) timer = setTimeout(() => deliverUntil(performance.now()), next.dueAt - instant)
  }

  return {
    carry: (chunk, delayMs) => {
      if (lost) return
      const now = performance.now()
      waiting = [...waiting, { chunk, dueAt: now + delayMs }]
      deliverUntil(now)
    },
    release: () => deliverUntil(Number.POSITIVE_INFINITY),
    lose: () => {
      lost = true
    },
    isLost: () => lost,
  }
}

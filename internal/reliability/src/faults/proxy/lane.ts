import type { Socket } from 'node:net'

/** One direction of a connection: nothing overtakes what was sent before. */
export interface Lane {
  /** Hands bytes on, after a while; not at all on a lane that has lost bytes before. */
  readonly carry: (chunk: Buffer, delayMs: number) => void
  /** Lets everything arrive that still waits. */
  readonly release: () => void
  /** Bytes vanish from now on. */
  readonly lose: () => void
  readonly isLost: () => boolean
}

/** Makes the lane that leads to a socket. */
export const createLane = (target: Socket): Lane => {
  let waiting: readonly { readonly chunk: Buffer; readonly dueAt: number }[] = []
  let timer: NodeJS.Timeout | undefined
  let lost = false

  const deliverUntil = (instant: number): void => {
    clearTimeout(timer)
    // What waits behind something later is later too.
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

import type { Socket } from 'node:net'

/** One direction of a connection. */
export interface Lane {
  /** Hands bytes on, after a while; not at all on a lane that has lost bytes before. */
  readonly carry: (chunk: Buffer, delayMs: number) => void
  /** Lets everything arrive that still waits. */
  readonly release: () => void
  /** Bytes vanish from now on. */
  readonly lose: () => void
  readonly isLost: () => boolean
}

/** Makes the lane that leads to a socket. Order is kept as long as it is released whenever the delay changes. */
export const createLane = (target: Socket): Lane => {
  const waiting = new Map<NodeJS.Timeout, Buffer>()
  let lost = false

  const wait = (chunk: Buffer, delayMs: number): void => {
    const timer = setTimeout(() => {
      waiting.delete(timer)
      target.write(chunk)
    }, delayMs)
    waiting.set(timer, chunk)
  }

  return {
    carry: (chunk, delayMs) => {
      if (lost) return
      if (delayMs > 0) wait(chunk, delayMs)
      else target.write(chunk)
    },
    release: () => {
      for (const [timer, chunk] of waiting) {
        clearTimeout(timer)
        target.write(chunk)
      }
      waiting.clear()
    },
    lose: () => {
      lost = true
    },
    isLost: () => lost,
  }
}

import type { Locks } from '../../src/environment.js'

interface Waiting {
  readonly grant: () => void
}

/**
 * Creates locks as the Web Locks API has them, for all tabs of one browser. Node has them from
 * version 24 on.
 */
export const createTestLocks = (): Locks => {
  const queues = new Map<string, Waiting[]>()
  return {
    request: (name, { signal }, run) =>
      new Promise((resolve, reject) => {
        const queue = queues.get(name) ?? []
        queues.set(name, queue)
        const release = () => {
          queue.shift()
          queue[0]?.grant()
        }
        const abort = () => {
          const place = queue.indexOf(waiting)
          if (place > 0) queue.splice(place, 1)
          reject(signal.reason)
        }
        const waiting = {
          grant: () => {
            signal.removeEventListener('abort', abort)
            queueMicrotask(() => run().then(resolve, reject).finally(release))
          },
        }
        signal.addEventListener('abort', abort)
        queue.push(waiting)
        if (queue[0] === waiting) waiting.grant()
      }),
  }
}

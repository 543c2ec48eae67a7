import { createHashingQueue, type HashingQueue } from './hashing-queue.js'

// Looked up by name, so that the ESM and the CommonJS build share one: there are two modules then, but one pool of threads.
const name = Symbol.for('@jwt-auth/core.hashingQueue')

/** The queue of everything in this process that is given no other. */
export const processQueue = (): HashingQueue => {
  const present: unknown = Reflect.get(globalThis, name)
  if (isQueue(present)) return present
  const queue = createHashingQueue()
  Object.defineProperty(globalThis, name, { value: queue })
  return queue
}

const isQueue = (value: unknown): value is HashingQueue =>
  typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function'

import { createHashingGate, type HashingGate } from './hashing-gate.js'

// Looked up by name, so that the ESM and the CommonJS build share one: there are two modules then, but one pool of threads.
const name = Symbol.for('@jwt-auth/core.hashingGate')

/** The gate of everything in this process that is given no other. */
export const processGate = (): HashingGate => {
  const present: unknown = Reflect.get(globalThis, name)
  if (isGate(present)) return present
  const gate = createHashingGate()
  Object.defineProperty(globalThis, name, { value: gate })
  return gate
}

const isGate = (value: unknown): value is HashingGate =>
  typeof value === 'object' && value !== null && 'run' in value && typeof value.run === 'function'

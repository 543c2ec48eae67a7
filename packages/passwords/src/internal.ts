export { type HashingOptions, verifyPassword } from './hashing.js'
export type { RehashOptions } from './rehash.js'

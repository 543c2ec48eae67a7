export { type Argon2idHasherOptions, argon2idHasher } from './argon2id.js'

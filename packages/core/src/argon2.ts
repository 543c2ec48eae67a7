export { type Argon2idHasherOptions, argon2idHasher } from './passwords/argon2id.js'

export { argon2idHasher } from './argon2id.js'

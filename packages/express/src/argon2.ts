export { type Argon2idHasherOptions, argon2idHasher } from '@jwt-auth/core/argon2'

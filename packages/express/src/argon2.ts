export { type Argon2idHasherOptions, argon2idHasher } from '@jwt-auth/passwords/argon2'

export { argon2idHasher } from '@jwt-auth/passwords/argon2'

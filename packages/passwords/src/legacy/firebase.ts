import { createCipheriv, timingSafeEqual } from 'node:crypto'
import { createIntegerReader, optionError, readOptions } from '@jwt-auth/core/internal'
import { decodeBase64, type LegacyHasher } from '../password-hasher.js'
import { deriveKey } from './scrypt.js'

/**
 * The options of {@link firebaseHasher}: the "Password hash parameters" of the project in the
 * Firebase console.
 */
export interface FirebaseHasherOptions {
  /** `base64_signer_key`, a secret: base64. */
  readonly signerKey: string | undefined
  /** `base64_salt_separator`: base64. */
  readonly saltSeparator: string
  /** `rounds`, 1 to 8. @default 8 */
  readonly rounds?: number | undefined
  /** `mem_cost`, 1 to 14. @default 14 */
  readonly memoryCost?: number | undefined
}

/**
 * Creates a hasher for the modified scrypt of Firebase Authentication. `firebase auth:export`
 * returns a hash and a salt for each user. Store both in one column, as
 * `$firebase$salt$passwordHash`.
 *
 * @throws TypeError for an invalid option
 * @example
 * ```ts
 * import { firebaseHasher } from '@jwt-auth/express/legacy-hashers'
 *
 * const passwordHash = `$firebase$${exported.salt}$${exported.passwordHash}`
 * const signerKey = process.env.FIREBASE_SIGNER_KEY
 * const firebase = firebaseHasher({ signerKey, saltSeparator: 'Bw==' })
 * passwordUsers({ findByUsername, findById, legacyHashers: [firebase], rehash })
 * ```
 */
export const firebaseHasher = (options: FirebaseHasherOptions): LegacyHasher => {
  const { signerKey, saltSeparator, rounds, memoryCost } = readOptions('firebaseHasher', options, readers, {
    prefix: 'firebaseHasher.',
  })
  const scrypt = { cost: 2 ** memoryCost, blockSize: rounds, parallelization: 1, keyLength: 32 }

  const hash = async (password: string, salt: Buffer): Promise<Buffer> => {
    const key = await deriveKey(password, Buffer.concat([salt, saltSeparator]), scrypt)
    return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(signerKey)
  }

  return {
    verify: async (password, storedHash) => {
      const stored = storedHash === undefined ? undefined : readFirebaseHash(storedHash)
      const found = await hash(password, stored?.salt ?? noSalt)
      return stored !== undefined && isEqual(found, stored.hash) ? 'match' : 'mismatch'
    },

    isReadable: (storedHash) => readFirebaseHash(storedHash)?.hash.length === signerKey.length,
  }
}

const noSalt = Buffer.from('jwt-auth')

const isEqual = (one: Buffer, other: Buffer): boolean => one.length === other.length && timingSafeEqual(one, other)

const readBase64 = (name: string, value: unknown): Buffer => {
  const bytes = typeof value === 'string' ? decodeAnyBase64(value) : undefined
  if (bytes !== undefined && bytes.length > 0) return bytes
  throw optionError(name, 'base64, as the Firebase console shows it', value, { isSecret: true })
}

const readers = {
  signerKey: readBase64,
  saltSeparator: readBase64,
  rounds: createIntegerReader({ min: 1, max: 8, default: 8, unit: 'rounds' }),
  memoryCost: createIntegerReader({ min: 1, max: 14, default: 14, unit: 'doublings' }),
}

// The command line writes base64, the Admin SDK writes base64url.
const decodeAnyBase64 = (text: string): Buffer | undefined => {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/')
  return decodeBase64(base64.replace(/={1,2}$/, ''))
}

const form = /^\$firebase\$([A-Za-z0-9+/_-]{2,172}={0,2})\$([A-Za-z0-9+/_-]{22,172}={0,2})$/

/** Reads a stored hash. Returns `undefined` for anything else. */
export const readFirebaseHash = (stored: string): { readonly salt: Buffer; readonly hash: Buffer } | undefined => {
  const [, saltText = '', hashText = ''] = form.exec(stored) ?? []
  const [salt, hash] = [decodeAnyBase64(saltText), decodeAnyBase64(hashText)]
  return salt !== undefined && salt.length > 0 && hash !== undefined ? { salt, hash } : undefined
}

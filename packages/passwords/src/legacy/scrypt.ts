import { scrypt, timingSafeEqual } from 'node:crypto'
import { createIntegerReader, invalidOption, optionError, readOptions } from '@jwt-auth/core/internal'
import { decodeBase64, type LegacyHasher, type PasswordMatch } from '../password-hasher.js'

/**
 * The options of {@link scryptHasher}, with the names and the defaults of `node:crypto`: the cost
 * of every attempt, and of stored hashes of the form `salt:key`. At most 128 MiB (128 × `cost` ×
 * `blockSize` bytes), and at most four times the work of 128 MiB. `undefined` means the same as
 * omitting an option.
 */
export interface ScryptHasherOptions {
  /** N, a power of two, 2 to 1,048,576. @default 16384 */
  readonly cost?: number | undefined
  /** r, 1 to 64. better-auth and Lucia use 16. @default 8 */
  readonly blockSize?: number | undefined
  /** p, 1 to 64. @default 1 */
  readonly parallelization?: number | undefined
  /**
   * How the salt of a hash of the form `salt:key` was passed to scrypt: as the stored text itself
   * (`'text'`), or as the bytes that this text encodes in hexadecimal (`'hex'`).
   * @default 'text'
   */
  readonly salt?: 'text' | 'hex' | undefined
}

/**
 * Creates a hasher for scrypt. It reads two forms of hashes:
 *
 * - `$scrypt$ln=14,r=8,p=1$salt$key`, a PHC string with base64, as `@phc/scrypt` and passlib write
 *   it. AdonisJS writes `n=16384` instead of `ln=14`.
 * - `salt:key` or `salt.key`, both in hexadecimal digits: of better-auth and Lucia, and of programs
 *   that call `crypto.scrypt` themselves. These hashes do not say their cost: set the options.
 *
 * A password that is not in Unicode's form NFKC is also compared in this form, which better-auth
 * and Lucia hash.
 *
 * @throws TypeError for an invalid option
 * @example
 * ```ts
 * import { scryptHasher } from '@jwt-auth/express/legacy-hashers'
 *
 * const betterAuth = scryptHasher({ blockSize: 16 })
 * passwordUsers({ findByUsername, findById, legacyHashers: [betterAuth], rehash })
 * ```
 */
export const scryptHasher = (options: ScryptHasherOptions = {}): LegacyHasher => {
  const { salt: saltForm, ...full } = readScryptOptions(options)
  const read = (stored: string) => readPhcString(stored) ?? readPair(stored, full, saltForm)
  return {
    verify: async (password, storedHash) => {
      const stored = storedHash === undefined ? undefined : read(storedHash)
      let match: PasswordMatch = 'mismatch'
      for (const form of new Set([password, password.normalize('NFKC')])) {
        if (stored !== undefined && (await isKeyOf(form, stored))) match = 'match'
        await doMissingWork(form, full, stored?.cost)
      }
      return match
    },

    isReadable: (storedHash) => read(storedHash) !== undefined,
  }
}

const readers = {
  salt: (name: string, salt: unknown = 'text') => {
    if (salt === 'text' || salt === 'hex') return salt
    throw optionError(name, "'text' or 'hex'", salt)
  },
  cost: createIntegerReader({ min: 2, max: 1_048_576, default: 16_384, unit: 'iterations' }),
  blockSize: createIntegerReader({ min: 1, max: 64, default: 8, unit: 'blocks' }),
  parallelization: createIntegerReader({ min: 1, max: 64, default: 1, unit: 'lanes' }),
}

const readScryptOptions = (options: ScryptHasherOptions) => {
  const read = readOptions('scryptHasher', options, readers, { prefix: 'scryptHasher.' })
  if (isAllowedCost(read)) return read
  throw invalidOption(
    'scryptHasher.cost',
    'is no power of two, or takes too much memory or time',
    'use a power of two, at most 128 MiB (128 × cost × blockSize bytes), and at most four times that work.',
  )
}

/** A stored scrypt hash. */
interface ScryptHash {
  readonly cost: ScryptCost
  readonly salt: string | Buffer
  readonly key: Buffer
}

const isKeyOf = async (password: string, { cost, salt, key }: ScryptHash): Promise<boolean> =>
  timingSafeEqual(await deriveKey(password, salt, { ...cost, keyLength: key.length }), key)

// Keys of 32, 48 or 64 bytes.
const phcForm =
  /^\$scrypt\$(ln|n)=([1-9]\d{0,6}),r=([1-9]\d{0,2}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{2,172})\$([A-Za-z0-9+/]{43}|[A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{86})$/

/** Reads a PHC string. Returns `undefined` for anything else, and for a cost out of bounds. */
export const readPhcString = (stored: string): ScryptHash | undefined => {
  const [, name, n, r, p, saltText = '', keyText = ''] = phcForm.exec(stored) ?? []
  const cost = { cost: name === 'ln' ? 2 ** Number(n) : Number(n), blockSize: Number(r), parallelization: Number(p) }
  const [salt, key] = [decodeBase64(saltText), decodeBase64(keyText)]
  return salt !== undefined && key !== undefined && isAllowedCost(cost) ? { cost, salt, key } : undefined
}

// 8 to 128 bytes of salt, and 32, 48 or 64 bytes of key. A shorter key would match too, so a
// truncated one must not be read.
const pairForm = /^((?:[0-9a-f]{2}){8,128})[:.]([0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})$/i

/** Reads a salt and a key. Returns `undefined` for anything else. */
export const readPair = (stored: string, cost: ScryptCost, saltForm: 'text' | 'hex'): ScryptHash | undefined => {
  const [, salt, key] = pairForm.exec(stored) ?? []
  if (salt === undefined || key === undefined) return undefined
  return { cost, salt: saltForm === 'hex' ? Buffer.from(salt, 'hex') : salt, key: Buffer.from(key, 'hex') }
}

/** The cost of a scrypt hash: N, r and p (RFC 7914, section 2), with the names of `node:crypto`. */
export type ScryptCost = Readonly<Record<'cost' | 'blockSize' | 'parallelization', number>>

// The costs of memory, in blocks of 128 bytes, and of work. A stored hash must not take all memory
// of the machine (128 MiB at most), or a thread for more than about two seconds.
const most = { cost: 2 ** 20, memory: 2 ** 20, work: 2 ** 22 }

/**
 * Returns whether a cost is in bounds: N a power of two from 2, at most 128 MiB, and at most four
 * times the work of 128 MiB.
 */
export const isAllowedCost = ({ cost, blockSize, parallelization }: ScryptCost): boolean =>
  [cost, blockSize, parallelization].every((number) => Number.isInteger(number) && number >= 1) &&
  cost >= 2 &&
  cost <= most.cost &&
  (cost & (cost - 1)) === 0 &&
  cost * blockSize <= most.memory &&
  cost * blockSize * parallelization <= most.work

/** Derives a key from a password. */
export const deriveKey = (
  password: string,
  salt: string | Buffer,
  { keyLength, ...cost }: ScryptCost & { readonly keyLength: number },
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    // Twice the most memory, because OpenSSL adds some of its own.
    scrypt(password, salt, keyLength, { ...cost, maxmem: 256 * most.memory }, (error, key) => {
      if (error === null) resolve(key)
      else reject(error)
    })
  })

/** Does the work that a stored hash lacks, so that every attempt takes the full work, N × r × p. */
export const doMissingWork = async (password: string, full: ScryptCost, done: ScryptCost | undefined) => {
  const { blockSize } = full
  let missing = toWork(full) - (done === undefined ? 0 : toWork(done))
  while (missing >= 2 * blockSize) {
    const cost = Math.min(full.cost, 2 ** Math.floor(Math.log2(missing / blockSize)))
    await deriveKey(password, 'jwt-auth', { cost, blockSize, parallelization: 1, keyLength: 32 })
    missing -= cost * blockSize
  }
}

const toWork = ({ cost, blockSize, parallelization }: ScryptCost): number => cost * blockSize * parallelization

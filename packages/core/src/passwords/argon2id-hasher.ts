import { setupError } from '../errors/auth-error.js'
import { checkOptionNames, readInteger } from '../option-checks.js'
import { type Argon2idCost, argon2idBounds, readArgon2idCost } from './argon2id-hash.js'
import type { PasswordHasher } from './password-hasher.js'

/** How {@link argon2idHasher} hashes: the cost of new hashes, and of every attempt. `undefined` equals absent. */
export interface Argon2idHasherOptions {
  /** Memory for one hash, in KiB, 1,024 to 262,144. Each hash that runs takes as much. @default 65536 (64 MiB) */
  readonly memoryKib?: number | undefined
  /** Passes over the memory, 1 to 16. @default 3 */
  readonly passes?: number | undefined
  /**
   * Lanes, 1 to 16. More than one run on threads of their own, which the queue does not count. @default 1
   */
  readonly parallelism?: number | undefined
}

/**
 * Argon2id through the package `@node-rs/argon2`, which the host installs; it is loaded when the first password is hashed.
 * New hashes are PHC strings of about 97 characters, and cover the whole password. Stored ones are read up to the bounds of
 * the options. The defaults are RFC 9106's second choice (section 4), on one lane: the whole work in one thread of the pool.
 *
 * @example
 * const hashing = { hasher: argon2idHasher(), legacyHashers: [bcryptHasher({ cost: 12 })] }
 * passwordUsers({ findByUsername, findById, ...hashing })
 * await hashPassword(password, hashing)
 */
export const argon2idHasher = (options: Argon2idHasherOptions = {}): PasswordHasher => {
  const cost = readCost(options)
  return {
    hash: async (password) => {
      const argon2 = await loadArgon2()
      return argon2.hash(password, {
        memoryCost: cost.memoryKib,
        timeCost: cost.passes,
        parallelism: cost.parallelism,
        outputLen: 32,
      })
    },

    verify: async (password, storedHash) => {
      const argon2 = await loadArgon2()
      const stored = storedHash === undefined ? undefined : readArgon2idCost(storedHash)
      const isMatch = stored !== undefined && storedHash !== undefined && (await argon2.verify(storedHash, password))
      for (const missing of missingWork(cost, stored)) await argon2.verify(dummyHash(missing), password)
      return isMatch ? 'match' : 'mismatch'
    },

    needsRehash: (storedHash) => {
      const stored = readArgon2idCost(storedHash)
      return stored === undefined || stored.memoryKib < cost.memoryKib || stored.passes < cost.passes
    },

    isReadable: (storedHash) => readArgon2idCost(storedHash) !== undefined,
  }
}

const readCost = (options: Argon2idHasherOptions): Argon2idCost => {
  checkOptionNames(options, { memoryKib: true, passes: true, parallelism: true }, 'argon2idHasher')
  const { memoryKib, passes, parallelism } = argon2idBounds
  return {
    memoryKib: readInteger('memoryKib', options.memoryKib, { ...memoryKib, default: 65_536, unit: 'KiB' }),
    passes: readInteger('passes', options.passes, { ...passes, default: 3, unit: 'passes' }),
    parallelism: readInteger('parallelism', options.parallelism, { ...parallelism, default: 1, unit: 'lanes' }),
  }
}

/**
 * The hashes that fill up what a stored hash lacks of the full work, memory × passes: whole passes over the full memory, and
 * one over the rest.
 */
const missingWork = (full: Argon2idCost, done: Argon2idCost | undefined): readonly Argon2idCost[] => {
  const doneKib = done === undefined ? 0 : done.memoryKib * done.passes
  const missingKib = Math.max(0, full.memoryKib * full.passes - doneKib)
  const rest = { ...full, memoryKib: missingKib % full.memoryKib, passes: 1 }
  const whole = { ...full, passes: Math.floor(missingKib / full.memoryKib) }
  // Argon2 takes no less memory (RFC 9106, section 3.1), and nobody can measure what is left out.
  return [...(whole.passes > 0 ? [whole] : []), ...(rest.memoryKib >= 8 * full.parallelism ? [rest] : [])]
}

// Nobody knows a password for this tag; it is checked to the end all the same.
const dummyHash = ({ memoryKib, passes, parallelism }: Argon2idCost): string =>
  `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$and0LWF1dGggZHVtbXkgcw$bm9ib2R5IGhhcyBhIHBhc3N3b3JkIGZvciB0aGlzIHRhZy4`

const loadArgon2 = async () => {
  try {
    return (await import('@node-rs/argon2')).default
  } catch (cause) {
    throw setupError(`argon2idHasher needs the package @node-rs/argon2, which can't be loaded: ${String(cause)}`)
  }
}

import { createIntegerReader, readOptions } from '@jwt-auth/core/internal'
import { decodeBase64, loadNativePackage, type PasswordHasher } from './password-hasher.js'

/**
 * The options of {@link argon2idHasher}: the cost of new hashes, and of every attempt. `undefined`
 * means the same as omitting an option.
 */
export interface Argon2idHasherOptions {
  /** The memory of one hash, in KiB, 1,024 to 262,144. @default 65536 (64 MiB) */
  readonly memoryKib?: number | undefined
  /** The passes over the memory, 1 to 16. @default 3 */
  readonly passes?: number | undefined
  /**
   * The lanes, 1 to 16. More than one run on additional threads, which the hashing queue does not
   * count.
   * @default 1
   */
  readonly parallelism?: number | undefined
}

/**
 * Creates a hasher for Argon2id through the package `@node-rs/argon2`, which you install. The
 * package is loaded when the first password is hashed. New hashes are PHC strings of about 97
 * characters, and cover the whole password, in Unicode's form NFC. A password in another form is
 * also compared as it is sent, because another system may have hashed it. Stored hashes with higher
 * costs than the maximum values of the options are not accepted. The defaults are the second choice
 * of RFC 9106 (section 4) on one lane: all work in one thread of Node's pool.
 *
 * @throws TypeError for an invalid option
 * @example
 * ```ts
 * const hashing = { hasher: argon2idHasher(), legacyHashers: [bcryptHasher({ cost: 12 })] }
 * passwordUsers({ findByUsername, findById, ...hashing })
 * await hashPassword(password, hashing)
 * ```
 */
export const argon2idHasher = (options: Argon2idHasherOptions = {}): PasswordHasher => {
  const cost = readOptions('argon2idHasher', options, readers, { prefix: 'argon2idHasher.' })
  return {
    hash: async (password) => {
      const argon2 = await loadArgon2()
      return argon2.hash(password.normalize('NFC'), {
        memoryCost: cost.memoryKib,
        timeCost: cost.passes,
        parallelism: cost.parallelism,
        outputLen: 32,
      })
    },

    verify: async (password, storedHash) => {
      const argon2 = await loadArgon2()
      const stored = storedHash === undefined ? undefined : readArgon2idCost(storedHash)
      let isMatch = false
      // Other systems may have hashed the password as it is typed.
      for (const form of new Set([password.normalize('NFC'), password])) {
        if (stored !== undefined && storedHash !== undefined && (await argon2.verify(storedHash, form))) isMatch = true
        for (const missing of toMissingWork(cost, stored)) await argon2.verify(toDummyHash(missing), form)
      }
      return isMatch ? 'match' : 'mismatch'
    },

    needsRehash: (storedHash) => {
      const stored = readArgon2idCost(storedHash)
      return stored === undefined || stored.memoryKib < cost.memoryKib || stored.passes < cost.passes
    },

    isReadable: (storedHash) => readArgon2idCost(storedHash) !== undefined,
  }
}

const loadArgon2 = () => loadNativePackage('@node-rs/argon2', () => import('@node-rs/argon2'))

/** The cost of an Argon2id hash (RFC 9106, section 3.1). */
type Argon2idCost = Readonly<Record<keyof typeof ranges, number>>

// The costs that are written and read. A stored hash must not take all memory of the machine, or a
// thread for minutes. With the maximum values, one hash writes 4 GiB, which takes several seconds.
const ranges = {
  memoryKib: { min: 1_024, max: 262_144, default: 65_536, unit: 'KiB' },
  passes: { min: 1, max: 16, default: 3, unit: 'passes' },
  parallelism: { min: 1, max: 16, default: 1, unit: 'lanes' },
} as const

const readers = {
  memoryKib: createIntegerReader(ranges.memoryKib),
  passes: createIntegerReader(ranges.passes),
  parallelism: createIntegerReader(ranges.parallelism),
}

// The PHC string format as the reference implementation writes it: these three parameters in this
// order, in decimals without leading zeros, and base64 without padding. `hash` above writes no key
// id and no further data.
const form =
  /^\$argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,2})\$([A-Za-z0-9+/]{11,64})\$([A-Za-z0-9+/]{22,86})$/

/**
 * Reads the cost of a stored hash. Returns `undefined` for anything else, and for a cost out of
 * bounds.
 */
export const readArgon2idCost = (stored: string): Argon2idCost | undefined => {
  const [, memory, passes, parallelism, salt = '', tag = ''] = form.exec(stored) ?? []
  const cost = { memoryKib: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const isInBounds =
    isWithin(cost.memoryKib, ranges.memoryKib) &&
    isWithin(cost.passes, ranges.passes) &&
    isWithin(cost.parallelism, ranges.parallelism)
  return isInBounds && decodeBase64(salt) !== undefined && decodeBase64(tag) !== undefined ? cost : undefined
}

const isWithin = (value: number, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  value >= min && value <= max

// Returns the costs of the additional hashes that bring the work of a stored hash up to the full
// work (memory × passes): whole passes over the full memory, and one pass over the rest.
const toMissingWork = (full: Argon2idCost, done: Argon2idCost | undefined): readonly Argon2idCost[] => {
  const doneKib = done === undefined ? 0 : done.memoryKib * done.passes
  const missingKib = Math.max(0, full.memoryKib * full.passes - doneKib)
  const rest = { ...full, memoryKib: missingKib % full.memoryKib, passes: 1 }
  const whole = { ...full, passes: Math.floor(missingKib / full.memoryKib) }
  // Argon2 needs at least 8 KiB per lane (RFC 9106, section 3.1). The work that is omitted is too
  // small to be measured.
  return [...(whole.passes > 0 ? [whole] : []), ...(rest.memoryKib >= 8 * full.parallelism ? [rest] : [])]
}

// No password is known that matches this dummy hash. It is checked with the full work nevertheless.
const toDummyHash = ({ memoryKib, passes, parallelism }: Argon2idCost): string =>
  `$argon2id$v=19$m=${memoryKib},t=${passes},p=${parallelism}$and0LWF1dGggZHVtbXkgcw$bm9ib2R5IGhhcyBhIHBhc3N3b3JkIGZvciB0aGlzIHRhZy4`

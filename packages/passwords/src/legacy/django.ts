import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { createIntegerReader, readOptions } from '@jwt-auth/core/internal'
import { decodeBase64, type LegacyHasher } from '../password-hasher.js'

/** The options of {@link djangoHasher}. `undefined` means the same as omitting an option. */
export interface DjangoHasherOptions {
  /**
   * The iterations of every attempt, 1 to 5,000,000. Use the highest number of the stored hashes:
   * the second part of `pbkdf2_sha256$1000000$…`.
   * @default 1000000, the number of Django 5.2
   */
  readonly iterations?: number | undefined
}

// More would hold a thread for more than about three seconds.
const iterationRange = { min: 1, max: 5_000_000, default: 1_000_000, unit: 'iterations' }

const readers = { iterations: createIntegerReader(iterationRange) }

/**
 * Creates a hasher for Django's default, `pbkdf2_sha256$iterations$salt$hash`. Django's `!…`, which
 * stands for a user without a password, matches no password and is not reported.
 *
 * @throws TypeError for an invalid option
 * @example
 * ```ts
 * import { djangoHasher } from '@jwt-auth/express/legacy-hashers'
 *
 * const legacyHashers = [djangoHasher({ iterations: 600_000 })]
 * passwordUsers({ findByUsername, findById, legacyHashers, rehash })
 * ```
 */
export const djangoHasher = (options: DjangoHasherOptions = {}): LegacyHasher => {
  const { iterations } = readOptions('djangoHasher', options, readers, { prefix: 'djangoHasher.' })
  return {
    verify: async (password, storedHash) => {
      const stored = storedHash === undefined ? undefined : readDjangoHash(storedHash)
      const isMatch = stored !== undefined && timingSafeEqual(await digestIn(password, stored), stored.digest)
      const missing = iterations - (stored?.iterations ?? 0)
      if (missing > 0) await digestIn(password, { iterations: missing, salt: 'jwt-auth' })
      return isMatch ? 'match' : 'mismatch'
    },

    isReadable: (storedHash) => storedHash.startsWith('!') || readDjangoHash(storedHash) !== undefined,
  }
}

/** A stored hash of Django. */
interface DjangoHash {
  readonly iterations: number
  readonly salt: string
  readonly digest: Buffer
}

const digestIn = (password: string, { iterations, salt }: Omit<DjangoHash, 'digest'>): Promise<Buffer> =>
  promisify(pbkdf2)(password, salt, iterations, 32, 'sha256')

const form = /^pbkdf2_sha256\$([1-9]\d{0,6})\$([^$\s]{1,128})\$([A-Za-z0-9+/]{43})=$/

/**
 * Reads a stored hash. Returns `undefined` for anything else, and for more iterations than allowed.
 */
export const readDjangoHash = (stored: string): DjangoHash | undefined => {
  const [, digits, salt = '', base64 = ''] = form.exec(stored) ?? []
  const digest = decodeBase64(base64)
  const iterations = Number(digits)
  if (digits === undefined || digest === undefined || iterations > iterationRange.max) return undefined
  return { iterations, salt, digest }
}

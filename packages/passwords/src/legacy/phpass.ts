import { createHash, timingSafeEqual } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { createIntegerReader, readOptions } from '@jwt-auth/core/internal'
import { escapeAsPhp, trimAsPhp } from '../bcrypt.js'
import type { LegacyHasher, PasswordMatch } from '../password-hasher.js'

/** The options of {@link phpassHasher}. `undefined` means the same as omitting an option. */
export interface PhpassHasherOptions {
  /**
   * The cost of every attempt, 7 to 18: each step doubles the rounds of MD5. Use the highest cost
   * of the stored hashes. The fourth character of a hash is its cost: `$P$B` (WordPress) has 13,
   * `$H$9` (phpBB) has 11.
   * @default 13
   */
  readonly cost?: number | undefined
}

// 2^18 rounds take about half a second of the main thread. phpass allows 2^30.
const costs = { min: 7, max: 18, default: 13, unit: 'doublings' }

const readers = { cost: createIntegerReader(costs) }

/**
 * Creates a hasher for the portable hashes of phpass: `$P$…` of WordPress before 6.8 and of other
 * PHP applications, and `$H$…` of phpBB. WordPress trims passwords, and escapes quotes in passwords
 * that users enter on its own pages. The hasher also compares the trimmed and the escaped password.
 * A password of more than 512 bytes in UTF-8 never matches. The work runs on the main thread, in
 * slices of about half a millisecond. Replace these hashes with the option `rehash`.
 *
 * @throws TypeError for an invalid option
 * @example
 * ```ts
 * import { phpassHasher } from '@jwt-auth/express/legacy-hashers'
 *
 * passwordUsers({ findByUsername, findById, legacyHashers: [phpassHasher()], rehash })
 * ```
 */
export const phpassHasher = (options: PhpassHasherOptions = {}): LegacyHasher => {
  const { cost } = readOptions('phpassHasher', options, readers, { prefix: 'phpassHasher.' })
  return {
    verify: async (password, storedHash) => {
      const stored = storedHash === undefined ? undefined : readPhpassHash(storedHash)
      let match: PasswordMatch = 'mismatch'
      for (const [form, whole] of toForms(password)) {
        const digest = await digestIn(form, stored ?? noHash, 2 ** cost)
        const isMatch = stored !== undefined && timingSafeEqual(digest, stored.digest)
        if (isMatch && match === 'mismatch') match = whole
      }
      return match
    },

    isReadable: (storedHash) => readPhpassHash(storedHash) !== undefined,
  }
}

/** A stored hash of phpass. */
interface PhpassHash {
  readonly rounds: number
  readonly salt: string
  /** The digest in phpass's encoding. */
  readonly digest: Buffer
}

const noHash: PhpassHash = { rounds: 0, salt: 'jwt-auth', digest: Buffer.alloc(0) }

// Each round hashes every byte. phpass's own limit of 4,096 bytes would allow attempts of half a
// second.
const longestInBytes = 512

// The forms of a password that WordPress may have hashed. How many there are depends only on the
// password that was sent. A longer password takes the work of a short one.
const toForms = (password: string): ReadonlyMap<string, PasswordMatch> => {
  if (Buffer.byteLength(password) > longestInBytes) return new Map([['', 'mismatch']])
  const escaped = escapeAsPhp(password)
  return new Map([
    [trimAsPhp(escaped), 'truncated'],
    [trimAsPhp(password), 'truncated'],
    [escaped, 'match'],
    [password, 'match'],
  ])
}

// About half a millisecond: no form has more than 1,024 bytes.
const roundsInARow = 256

// Returns the digest after the rounds of the hash. Does the work of at least `leastRounds` in any
// case.
const digestIn = async (password: string, { salt, rounds }: PhpassHash, leastRounds: number): Promise<Buffer> => {
  const end = Buffer.from(password)
  let digest = md5(Buffer.concat([Buffer.from(salt), end]))
  let found = digest
  for (let round = 1; round <= Math.max(rounds, leastRounds); round += 1) {
    digest = md5(Buffer.concat([digest, end]))
    if (round === rounds) found = digest
    if (round % roundsInARow === 0) await setImmediate()
  }
  return Buffer.from(encode(found))
}

const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest()

const alphabet = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// Base64 with the lowest bits first.
const encode = (bytes: Buffer): string => {
  let text = ''
  for (let bit = 0; bit < 8 * bytes.length; bit += 6) {
    const index = Math.floor(bit / 8)
    const pair = (bytes[index] ?? 0) + 256 * (bytes[index + 1] ?? 0)
    text += alphabet.charAt((pair >> (bit % 8)) & 63)
  }
  return text
}

// 16 bytes of digest leave four bits of the last character unused.
const form = /^\$[PH]\$([./0-9A-Za-z])([./0-9A-Za-z]{8})([./0-9A-Za-z]{21}[./01])$/

/** Reads a stored hash. Returns `undefined` for anything else, and for a cost out of bounds. */
export const readPhpassHash = (stored: string): PhpassHash | undefined => {
  const [, costCharacter = '', salt = '', digest = ''] = form.exec(stored) ?? []
  const cost = alphabet.indexOf(costCharacter)
  if (digest === '' || cost < costs.min || cost > costs.max) return undefined
  return { rounds: 2 ** cost, salt, digest: Buffer.from(digest) }
}

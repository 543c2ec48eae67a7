import { createHmac } from 'node:crypto'
import { createIntegerReader, readOptions } from '@jwt-auth/core/internal'
import { loadNativePackage, type PasswordHasher } from './password-hasher.js'

/** The options of {@link bcryptHasher}. `undefined` means the same as omitting an option. */
export interface BcryptHasherOptions {
  /**
   * bcrypt's work factor, 4 to 15, of new hashes and of every attempt. Each step doubles the time.
   * Use at least the highest cost of the stored hashes.
   * @default 12
   */
  readonly cost?: number | undefined
}

// 16 would hold a thread for more than four seconds.
const costs = { min: 4, max: 15, default: 12, unit: 'doublings' }

/**
 * Creates a hasher for bcrypt. New hashes are `$jwtauth1$2b$…`, about 70 characters long, and cover
 * the whole password, in Unicode's form NFC. `$2a$`, `$2b$`, `$2y$` and WordPress's `$wp$2y$` are
 * read, up to cost 15. A password with a quote or a backslash takes twice the work, because
 * WordPress may have hashed the password with backslashes before these characters. The native
 * library is loaded when the first password is hashed.
 *
 * @throws TypeError for an invalid option
 * @example
 * ```ts
 * const hashers = { hasher: argon2idHasher(), legacyHashers: [bcryptHasher({ cost: 10 })] }
 * passwordUsers({ findByUsername, findById, ...hashers })
 * ```
 */
export const bcryptHasher = (options: BcryptHasherOptions = {}): PasswordHasher => {
  const { cost } = readOptions('bcryptHasher', options, { cost: createIntegerReader(costs) })
  return {
    hash: async (password) => {
      const bcrypt = await loadBcrypt()
      return newHashPrefix + (await bcrypt.hash(prepareNew(password), cost))
    },

    verify: async (password, storedHash) => {
      const hash = storedHash === undefined ? undefined : readBcryptHash(storedHash)
      let isMatch = await compare(password, hash, cost)
      const escaped = escapeAsPhp(password)
      if (escaped !== password) {
        // The password alone decides about this work. Only WordPress has escaped it.
        const isEscaped = await compare(escaped, storedHash?.startsWith(wordpressPrefix) ? hash : undefined, cost)
        isMatch ||= isEscaped
      }
      if (!isMatch) return 'mismatch'
      return hash?.coversAll(password) ? 'match' : 'truncated'
    },

    needsRehash: (storedHash) => {
      const hash = readBcryptHash(storedHash)
      return hash === undefined || !hash.isNew || hash.cost < cost
    },

    isReadable: (storedHash) => readBcryptHash(storedHash) !== undefined,
  }
}

// An application that checks no passwords here (LDAP, single sign-on) never loads it.
const loadBcrypt = () => loadNativePackage('bcrypt', () => import('bcrypt'))

// Does the work of the full cost in any case.
const compare = async (password: string, hash: BcryptHash | undefined, cost: number): Promise<boolean> => {
  const bcrypt = await loadBcrypt()
  if (hash === undefined) {
    await bcrypt.compare(password, toDummyHash(cost))
    return false
  }
  const isMatch = await bcrypt.compare(hash.prepare(password), hash.bcryptHash)
  // 2^from, plus 2^from + 2^(from + 1) + … + 2^(to - 1), is 2^to.
  for (let from = hash.cost; from < cost; from += 1) await bcrypt.compare(password, toDummyHash(from))
  return isMatch
}

// bcrypt does its full work before it finds a mismatch. No password matches: the last character of
// the salt has bits that bcrypt writes as zero.
const dummyTail = 'jwtauthdummyhashnobodyCanMatchThisOneAtAllEverAndEver'

const toDummyHash = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${dummyTail}`

/**
 * A stored bcrypt hash: how the password is prepared, and the hash that the result is compared
 * with.
 */
interface BcryptHash {
  /** Whether the hash has the scheme of new hashes. */
  readonly isNew: boolean
  readonly prepare: (password: string) => string
  /** Returns whether every character of a password counts under this scheme. */
  readonly coversAll: (password: string) => boolean
  /** As the bcrypt library reads it, with `$2b$`. */
  readonly bcryptHash: string
  /** bcrypt's work factor: 2^cost rounds. */
  readonly cost: number
}

// bcrypt reads 72 bytes. The digest always has 64 characters and contains no NUL. The key is
// public: it only separates these digests from others. There is no secret whose loss would lock all
// users out.
const digest = (key: string, password: string): string =>
  createHmac('sha384', key).update(password, 'utf8').digest('base64')

// One password has one form on all devices (RFC 8265, section 4.2; NIST SP 800-63B).
const prepareNew = (password: string): string => digest('jwt-auth password v1', password.normalize('NFC'))

const newHashPrefix = '$jwtauth1'
const wordpressPrefix = '$wp'

type Scheme = Pick<BcryptHash, 'prepare' | 'coversAll'> & { readonly prefix: string }

const schemes: readonly Scheme[] = [
  // New hashes: bcrypt over base64 HMAC-SHA-384 of the password.
  { prefix: newHashPrefix, prepare: prepareNew, coversAll: () => true },
  // WordPress 6.8: `$wp` before a `$2y$` hash. The password is trimmed (wp_authenticate,
  // wp_hash_password) and digested.
  {
    prefix: wordpressPrefix,
    prepare: (password) => digest('wp-sha384', trimAsPhp(password)),
    coversAll: (password) => password === trimAsPhp(password),
  },
  {
    prefix: '',
    prepare: (password) => password,
    // bcrypt repeats the bytes with a NUL behind them: it takes `pw` and `pw\0pw` for one password.
    coversAll: (password) => Buffer.byteLength(password) <= 72 && !password.includes('\0'),
  },
]

// `$2a$`, `$2b$` and `$2y$` name one algorithm. The library reads the first two, and ignores
// anything after 60 characters. 16 bytes of salt leave four bits of their last character unused,
// and 23 bytes of digest leave two: if one of these bits is set, no password matches.
const bcryptForm = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26])$/

/** Reads a stored hash. Returns `undefined` for a hash that cannot be checked. */
export const readBcryptHash = (stored: string): BcryptHash | undefined => {
  const scheme = schemes.find(({ prefix }) => stored.startsWith(prefix))
  const [, digits, rest] = bcryptForm.exec(stored.slice(scheme?.prefix.length)) ?? []
  const cost = Number(digits)
  if (scheme === undefined || rest === undefined || cost < costs.min || cost > costs.max) return undefined
  const { prepare, coversAll, prefix } = scheme
  return { isNew: prefix === newHashPrefix, prepare, coversAll, bcryptHash: `$2b$${digits}$${rest}`, cost }
}

/**
 * Trims as PHP's trim() does. A regular expression would take time that is quadratic in the number
 * of spaces inside the text.
 */
export const trimAsPhp = (text: string): string => {
  let start = 0
  let end = text.length
  while (start < end && trimmed.includes(text.charAt(start))) start += 1
  while (end > start && trimmed.includes(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/**
 * Escapes quotes as PHP's addslashes() does, which WordPress applies to the fields of its forms.
 */
export const escapeAsPhp = (text: string): string => text.replace(/['"\\]/g, '\\$&')

const trimmed = ' \t\n\r\0\v'

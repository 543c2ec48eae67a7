import { createHmac } from 'node:crypto'

/** A stored bcrypt hash, read: how the password is prepared, and the hash it is compared with. */
export interface BcryptHash {
  /** Whether it is of the scheme of new hashes. */
  readonly isNew: boolean
  readonly prepare: (password: string) => string
  /** Whether every character of a password counts under this scheme. */
  readonly coversAll: (password: string) => boolean
  /** In the spelling the bcrypt library reads, `$2b$`. */
  readonly bcryptHash: string
  /** bcrypt's work factor: 2^cost rounds. */
  readonly cost: number
}

/** The costs that are read and written. Each step doubles the time; 16 would hold a thread for four seconds and more. */
export const bcryptCosts = { min: 4, max: 15 } as const

/** The scheme of new hashes: bcrypt over base64 HMAC-SHA-384 of the password. */
export const newHashPrefix = '$jwtauth1'

// bcrypt reads 72 bytes and stops; the digest is always 64 characters and holds no NUL. The key is public: it only keeps
// these digests apart from others, and losing no secret can ever lock everybody out.
const digest = (key: string, password: string): string =>
  createHmac('sha384', key).update(password, 'utf8').digest('base64')

/** What is hashed for a password under the scheme of new hashes. */
export const prepareNew = (password: string): string => digest('jwt-auth password v1', password)

type Scheme = Pick<BcryptHash, 'prepare' | 'coversAll'> & { readonly prefix: string }

const schemes: readonly Scheme[] = [
  { prefix: newHashPrefix, prepare: prepareNew, coversAll: () => true },
  // WordPress 6.8: `$wp` before a `$2y$` hash; the password is trimmed (wp_authenticate, wp_hash_password) and digested.
  {
    prefix: '$wp',
    prepare: (password) => digest('wp-sha384', trimAsPhp(password)),
    coversAll: (password) => password === trimAsPhp(password),
  },
  {
    prefix: '',
    prepare: (password) => password,
    // bcrypt reads the bytes over and over, a NUL behind them: `pw` and `pw\0pw` are one to it.
    coversAll: (password) => Buffer.byteLength(password) <= 72 && !password.includes('\0'),
  },
]

/** PHP's trim(). A regular expression would take time that is quadratic in the number of spaces inside the password. */
const trimAsPhp = (password: string): string => {
  let start = 0
  let end = password.length
  while (start < end && trimmed.includes(password.charAt(start))) start += 1
  while (end > start && trimmed.includes(password.charAt(end - 1))) end -= 1
  return password.slice(start, end)
}

const trimmed = ' \t\n\r\0\v'

// `$2a$`, `$2b$` and `$2y$` name one algorithm; the library reads the first two, and anything that follows 60 characters.
// 16 bytes of salt leave four bits of their last character unused, 23 of digest two: with one of them set nothing matches.
const bcryptForm = /^\$2[aby]\$(\d\d)\$([./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26])$/

/** Reads a stored hash; `undefined` when it is none that can be checked. */
export const readBcryptHash = (stored: string): BcryptHash | undefined => {
  const scheme = schemes.find(({ prefix }) => stored.startsWith(prefix))
  const [, digits, rest] = bcryptForm.exec(stored.slice(scheme?.prefix.length)) ?? []
  const cost = Number(digits)
  if (scheme === undefined || rest === undefined || cost < bcryptCosts.min || cost > bcryptCosts.max) return undefined
  const { prepare, coversAll, prefix } = scheme
  return { isNew: prefix === newHashPrefix, prepare, coversAll, bcryptHash: `$2b$${digits}$${rest}`, cost }
}

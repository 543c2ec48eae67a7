import { createHmac } from 'node:crypto'

/** A stored password hash, read: how the password is prepared, and the bcrypt hash it is compared with. */
export interface PasswordHash {
  readonly prepare: (password: string) => string
  /** In the spelling the bcrypt library reads, `$2b$`. */
  readonly bcryptHash: string
  /** bcrypt's work factor: 2^cost rounds. */
  readonly cost: number
}

/** The scheme of new hashes: bcrypt over base64 HMAC-SHA-384 of the password. */
export const newHashPrefix = '$jwtauth1'

// bcrypt reads 72 bytes and stops; the digest is always 64 characters and holds no NUL. The key is public: it only keeps
// these digests apart from others, and losing no secret can ever lock everybody out.
const digest = (key: string, password: string): string =>
  createHmac('sha384', key).update(password, 'utf8').digest('base64')

/** What is hashed for a password under the scheme of new hashes. */
export const prepareNew = (password: string): string => digest('jwt-auth password v1', password)

const schemes: readonly { readonly prefix: string; readonly prepare: PasswordHash['prepare'] }[] = [
  { prefix: newHashPrefix, prepare: prepareNew },
  // WordPress 6.8: `$wp` before a `$2y$` hash; the password is trimmed and digested.
  { prefix: '$wp', prepare: (password) => digest('wp-sha384', trimAsPhp(password)) },
  { prefix: '', prepare: (password) => password },
]

// PHP's trim().
const trimAsPhp = (password: string): string => password.replace(/^[ \t\n\r\0\v]+|[ \t\n\r\0\v]+$/g, '')

// `$2a$`, `$2b$` and `$2y$` name one algorithm; the library reads the first two.
const bcryptForm = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$([./A-Za-z0-9]{53})$/

/** Reads a stored hash; `undefined` when it is none that can be checked. */
export const readPasswordHash = (stored: string): PasswordHash | undefined => {
  const scheme = schemes.find(({ prefix }) => stored.startsWith(prefix))
  const [, cost, rest] = bcryptForm.exec(stored.slice(scheme?.prefix.length)) ?? []
  if (scheme === undefined || cost === undefined || rest === undefined) return undefined
  return { prepare: scheme.prepare, bcryptHash: `$2b$${cost}$${rest}`, cost: Number(cost) }
}

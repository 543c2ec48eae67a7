import { createHash } from 'node:crypto'
import { setupError } from '../errors/auth-error.js'
import { readPort } from '../options/option-checks.js'
import type { User, UserDirectory, UserId } from '../ports/user-directory.js'
import { canonicalUsername } from '../usernames/canonical-username.js'
import { type HashingOptions, resolveHashing } from './hashing.js'
import { createRehash, type RehashOptions } from './rehash.js'
import type { StoredUser } from './stored-user.js'

/** Where {@link passwordUsers} finds users, and how their passwords are hashed. */
export interface PasswordUsersOptions extends HashingOptions {
  /**
   * Finds a user by the canonical form of a name (see `canonicalUsername`): `ann@example.com`, whether `Ann@Example.com` was
   * sent or `ann@example.com `. The second argument is the name as it was sent, for tables that hold names in other forms.
   * A name without a canonical form is not looked up. `undefined` or `null` for a user who is not there.
   */
  readonly findByUsername: (username: string, asSent: string) => Promise<StoredUser | null | undefined>
  /** Finds a user by id. `undefined` or `null` for one who is not there. */
  readonly findById: (id: UserId) => Promise<StoredUser | null | undefined>
  /**
   * Replaces hashes of an old kind, or of too little work, when their users log in; whatever else reads the table must know
   * the new kind. Needs users with a `credentialVersion` of their own. @default hashes are left as they are
   */
  readonly rehash?: RehashOptions | undefined
}

/**
 * A user directory over stored password hashes. Unknown users, users without a password and disabled users take the same work
 * as a wrong password, and every attempt takes one place in the gate. Where a user carries no `credentialVersion`, one is
 * derived from the hash: a changed password ends the sessions opened under the old one, at their next refresh.
 *
 * @example
 * passwordUsers({ findByUsername, findById, hasher: argon2idHasher(), oldHashers: [bcryptHasher()] })
 */
export const passwordUsers = (options: PasswordUsersOptions): UserDirectory => {
  const { findByUsername, findById } = readPort('passwordUsers', options, ['findByUsername', 'findById'])
  const { gate, hasher, compare } = resolveHashing(options)
  const rehash = createRehash(options.rehash, hasher)

  const findByName = async (name: string): Promise<StoredUser | undefined> => {
    const canonical = canonicalUsername(name)
    if (canonical === undefined) return undefined
    const stored = readStored(await findByUsername(canonical, name), 'findByUsername')
    return stored === undefined || isNamed(stored, canonical) ? stored : undefined
  }

  const attempt = async (stored: StoredUser | undefined, password: string) => {
    const match = await compare(password, stored?.passwordHash)
    const isProven = match === 'whole' && stored !== undefined && !stored.disabled
    return { isMatch: match !== 'none', newHash: isProven ? await rehash.makeHash(stored, password) : undefined }
  }

  return {
    verifyPassword: async (name, password) => {
      const stored = await findByName(name)
      const { isMatch, newHash } = await gate.run(() => attempt(stored, password))
      if (stored === undefined || stored.disabled || !isMatch) return undefined
      if (newHash !== undefined) await rehash.storeHash(stored, newHash)
      return toUser(stored)
    },
    findById: async (id) => {
      const stored = readStored(await findById(id), 'findById')
      return stored && toUser(stored)
    },
  }
}

// Left out of one answer but not of the other, the hash would make every login fail; so it is asked for by name.
const readStored = (stored: StoredUser | null | undefined, source: string): StoredUser | undefined => {
  if (!stored) return undefined
  if (stored.passwordHash === null || typeof stored.passwordHash === 'string') return stored
  throw setupError(`${source} must answer \`passwordHash\` too, as text (null for none).`)
}

const isNamed = ({ username }: StoredUser, canonical: string): boolean =>
  username === undefined || canonicalUsername(username) === canonical

const toUser = ({ passwordHash, username, ...user }: StoredUser): User => ({
  ...user,
  credentialVersion: user.credentialVersion ?? versionOf(passwordHash),
})

const versionOf = (passwordHash: string | null): string =>
  createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url')
    .slice(0, 22)

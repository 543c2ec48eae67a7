import { createHash } from 'node:crypto'
import type { CallOptions, User, UserDirectory } from '@jwt-auth/core'
import {
  checkOptionNames,
  createBoundedCache,
  describeValue,
  explainNoUser,
  type PasswordCheckOptions,
  readPort,
  setupError,
} from '@jwt-auth/core/internal'
import { canonicalUsername } from './canonical-username.js'
import { type HashingOptions, hashInQueue, hashingOptionNames, resolveHashing } from './hashing.js'
import { createRehash, type RehashOptions, type ReportFault } from './rehash.js'
import { explainUnreadableHash, type StoredUser, type WithoutHash } from './stored-user.js'

/**
 * How {@link passwordUsers} finds users, and how their passwords are hashed. `S` is your type of a
 * stored user.
 */
export interface PasswordUsersOptions<S extends StoredUser = StoredUser> extends HashingOptions {
  /**
   * Finds a user by the canonical form of a name (see `canonicalUsername`). The second argument is
   * the name as it was sent, for tables that contain names in other forms. Resolves to `undefined`
   * or `null` if no user has the name. The signal aborts at `callTimeoutMs`.
   */
  readonly findByUsername: (username: string, asSent: string, options: CallOptions) => Promise<S | null | undefined>
  /** Finds a user by id. Resolves to `undefined` or `null` if the user does not exist. */
  readonly findById: (id: S['id'], options?: CallOptions) => Promise<S | null | undefined>
  /**
   * Replaces hashes of another kind, or of too little work, when their users log in
   * (docs/guide/users-and-passwords.md#hashes-of-another-system). Needs users with a
   * `credentialVersion`.
   * @default hashes are not replaced
   */
  readonly rehash?: RehashOptions | undefined
}

/**
 * Creates a user directory over stored password hashes. Unknown users, users without a password and
 * disabled users take the same work as a wrong password, and every attempt takes one place in the
 * hashing queue. If a user has no `credentialVersion`, it is derived from the hash: sessions of an
 * old password end at their next refresh. Without a password it is derived from id, `username` and
 * `email`.
 *
 * The functions may return models whose members are getters, as those of Sequelize and Mongoose.
 * Users then have only the members of {@link StoredUser}. For further members, return a plain
 * object.
 *
 * TypeScript infers the type of your users from what the functions resolve to. Write
 * `findByUsername` before `findById`, or declare the type of the parameter `id`: otherwise
 * TypeScript does not infer more than {@link StoredUser}.
 *
 * @throws TypeError for an invalid option
 * @example
 * ```ts
 * const hashers = { hasher: argon2idHasher(), legacyHashers: [bcryptHasher()] }
 * passwordUsers({ findByUsername, findById, ...hashers })
 * ```
 */
export function passwordUsers<S extends StoredUser>(
  options: PasswordUsersOptions<S>,
  // A mapped type without a name: editors then show its members.
): UserDirectory<{ [Name in keyof WithoutHash<S>]: WithoutHash<S>[Name] }>
export function passwordUsers(options: PasswordUsersOptions): UserDirectory {
  const { findByUsername, findById } = readPort('passwordUsers', options, ['findByUsername', 'findById'])
  const own = checkOptionNames(options, optionNames, 'passwordUsers')
  const hashing = resolveHashing(own)
  const { queue, hasher, compare, isReadable } = hashing
  const rehash = own.rehash === undefined ? undefined : createRehash(own.rehash, hasher)
  // The hash stays in here: the service and the application see users without it.
  const storedUsers = new WeakMap<User, StoredUser>()

  const toUser = (found: StoredUser): User => {
    const { passwordHash, ...fields } = readMembers(found)
    const user = {
      ...fields,
      credentialVersion: fields.credentialVersion ?? toVersion(passwordHash ?? toIdentity(fields)),
    }
    storedUsers.set(user, { ...fields, passwordHash })
    return user
  }

  // The hash that each user had last, by the id and the version.
  const lastHashes = createBoundedCache<string>(maxLastHashes)
  const checkVersion = ({ id, credentialVersion, passwordHash }: StoredUser, reportFault: ReportFault): void => {
    // A hash that a login replaces says nothing about the password.
    if (passwordHash === null || hasher.needsRehash(passwordHash)) return
    const key = JSON.stringify([id, credentialVersion])
    const digest = toVersion(passwordHash)
    if ((lastHashes.get(key) ?? digest) !== digest) reportFault?.(sameVersion)
    lastHashes.set(key, digest)
  }

  const requireStored = (user: User): StoredUser => {
    const stored = storedUsers.get(user)
    if (stored === undefined) throw setupError(copiedUser)
    return stored
  }

  const attempt = async (stored: StoredUser | undefined, password: string, { reportFault }: PasswordCheckOptions) => {
    const match = await compare(password, stored?.passwordHash)
    const isVerified = match === 'match' && stored !== undefined && !stored.disabled
    const newHash = isVerified ? await rehash?.makeHash(stored, password, reportFault) : undefined
    return { isMatch: match !== 'mismatch', newHash }
  }

  return {
    findByUsername: async (name, { signal, reportFault } = {}) => {
      const canonical = canonicalUsername(name)
      if (canonical === undefined) return undefined
      const stored = readStored(await findByUsername(canonical, name, { signal }), 'findByUsername')
      if (stored === undefined || isNamed(stored, canonical)) return stored && toUser(stored)
      reportFault?.(otherName)
      return undefined
    },
    findById: async (id, callOptions) => {
      const stored = readStored(await findById(id, callOptions), 'findById')
      if (stored?.credentialVersion) checkVersion(stored, callOptions?.reportFault)
      return stored && toUser(stored)
    },
    verifyPassword: async (user, password, callOptions = {}) => {
      const stored = user && requireStored(user)
      const { isMatch, newHash } = await queue.run(() => attempt(stored, password, callOptions), callOptions.priority)
      if (stored === undefined || stored.disabled) return false
      const { reportFault } = callOptions
      const { passwordHash } = stored
      if (!isMatch && passwordHash !== null && !isReadable(passwordHash)) {
        reportFault?.(explainUnreadableHash(passwordHash))
      }
      if (newHash !== undefined) await rehash?.storeHash(stored, newHash, reportFault)
      return isMatch
    },
    hashPassword: (password, { priority } = {}) => hashInQueue(hashing, password, priority),
  }
}

const optionNames: Record<keyof PasswordUsersOptions, true> = {
  findByUsername: true,
  findById: true,
  ...hashingOptionNames,
  rehash: true,
}

const maxLastHashes = 10_000

const sameVersion =
  'a user has a new password hash, but the same `credentialVersion` as before: sessions of the old password continue. Change `credentialVersion` with each password, or omit it. Ignore this report if another program replaced the hash of the same password.'

const copiedUser =
  '`verifyPassword` was called with a user object that this directory did not return. A directory that wraps passwordUsers or knexUsers must pass on the object that a lookup returned, not a copy.'

const otherName =
  'a login failed, and its password was not checked: `findByUsername` returned a user whose `username` is not the name that was sent. If users may also log in with another name, such as an e-mail address, omit `username` from the returned user. Ignore this report if your table ignores accents when it compares names.'

// If only one of the two functions returned the hash, every login would fail. The error names the
// function.
const readStored = (stored: StoredUser | null | undefined, source: string): StoredUser | undefined => {
  if (!stored) return undefined
  // Queries of most database clients resolve to a list of rows.
  const noUser = explainNoUser(stored)
  if (noUser !== undefined) throw setupError(`${source} returned ${noUser}`)
  if (stored.passwordHash === null || typeof stored.passwordHash === 'string') return stored
  const received = describeValue(stored.passwordHash)
  throw setupError(`${source} must return \`passwordHash\` too, as text (null for none); it returned ${received}.`)
}

// Models of Sequelize and Mongoose have getters for the members. Their own properties are their
// state, which contains the hash.
const readMembers = (found: StoredUser): StoredUser => {
  const { id, email, username, nicename, displayName, link, disabled, credentialVersion, passwordHash } = found
  const members = { id, email, username, nicename, displayName, link, disabled, credentialVersion, passwordHash }
  return Object.hasOwn(found, 'passwordHash') ? { ...found, ...members } : members
}

// A name that is stored in its canonical form is not checked again.
const isNamed = ({ username }: StoredUser, canonical: string): boolean =>
  username === undefined || username === null || username === canonical || canonicalUsername(username) === canonical

const toVersion = (source: string): string => createHash('sha256').update(source).digest('base64url').slice(0, 22)

// A later user without a password who receives the id of a deleted one must not continue the
// sessions of that user.
const toIdentity = ({ id, username, email }: Pick<User, 'id' | 'username' | 'email'>): string =>
  JSON.stringify([id, username, email])

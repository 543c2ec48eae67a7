import { createHash } from 'node:crypto'
import { setupError } from '../errors/auth-error.js'
import { readInteger, readPort } from '../options/option-checks.js'
import type { CallOptions } from '../ports/call-options.js'
import { createDeadline } from '../ports/deadline.js'
import type { PasswordCheckOptions, User, UserDirectory, UserId } from '../ports/user-directory.js'
import { machineSystem } from '../system.js'
import { canonicalUsername } from '../usernames/canonical-username.js'
import { type HashingOptions, resolveHashing } from './hashing.js'
import { createRehash, type RehashOptions } from './rehash.js'
import type { StoredUser } from './stored-user.js'
import { explainUnreadableHash } from './unreadable-hash.js'

/** Where {@link passwordUsers} finds users, and how their passwords are hashed. */
export interface PasswordUsersOptions extends HashingOptions {
  /**
   * Finds a user by the canonical form of a name (see `canonicalUsername`): `ann@example.com`, whether `Ann@Example.com` was
   * sent or `ann@example.com `. The second argument is the name as it was sent, for tables that hold names in other forms.
   * A name without a canonical form is not looked up. `undefined` or `null` for a user who is not there. What takes longer
   * than `lookupTimeoutMs` is given up, and the signal aborts.
   */
  readonly findByUsername: (
    username: string,
    asSent: string,
    options: CallOptions,
  ) => Promise<StoredUser | null | undefined>
  /** Finds a user by id. `undefined` or `null` for one who is not there. The signal aborts at `storageTimeoutMs`. */
  readonly findById: (id: UserId, options?: CallOptions) => Promise<StoredUser | null | undefined>
  /** How long `findByUsername` may take, in milliseconds, 10 to 60,000; beyond it the login is 503. @default 1000 */
  readonly lookupTimeoutMs?: number | undefined
  /**
   * Replaces hashes of an old kind, or of too little work, when their users log in; whatever else reads the table must know
   * the new kind. Needs users with a `credentialVersion` of their own. @default hashes are left as they are
   */
  readonly rehash?: RehashOptions | undefined
}

/**
 * A user directory over stored password hashes. Unknown users, users without a password and disabled users take the same work
 * as a wrong password, and every attempt takes one place in the queue. Where a user carries no `credentialVersion`, one is
 * derived from the hash: a changed password ends the sessions opened under the old one, at their next refresh.
 *
 * @example
 * passwordUsers({ findByUsername, findById, hasher: argon2idHasher(), oldHashers: [bcryptHasher()] })
 */
export const passwordUsers = (options: PasswordUsersOptions): UserDirectory => {
  const { findByUsername, findById } = readPort('passwordUsers', options, ['findByUsername', 'findById'])
  const { queue, hasher, compare, isReadable } = resolveHashing(options)
  const rehash = createRehash(options.rehash, hasher)
  const timeoutMs = readInteger('lookupTimeoutMs', options.lookupTimeoutMs, lookupTimeouts)
  const runInTime = createDeadline(timeoutMs, machineSystem.startTimer, 'option `lookupTimeoutMs`')

  const findByName = async (name: string, reportFault: ReportFault | undefined): Promise<StoredUser | undefined> => {
    const canonical = canonicalUsername(name)
    if (canonical === undefined) return undefined
    const stored = readStored(
      await runInTime(async (signal) => findByUsername(canonical, name, { signal })),
      'findByUsername',
    )
    if (stored === undefined || isNamed(stored, canonical)) return stored
    reportFault?.(otherName)
    return undefined
  }

  const attempt = async (stored: StoredUser | undefined, password: string) => {
    const match = await compare(password, stored?.passwordHash)
    const isProven = match === 'whole' && stored !== undefined && !stored.disabled
    return { isMatch: match !== 'none', newHash: isProven ? await rehash.makeHash(stored, password) : undefined }
  }

  return {
    verifyPassword: async (name, password, { place, reportFault } = {}) => {
      const stored = await findByName(name, reportFault)
      const { isMatch, newHash } = await queue.run(() => attempt(stored, password), place)
      if (stored === undefined || stored.disabled) return undefined
      if (!isMatch) {
        const { passwordHash } = stored
        if (passwordHash !== null && !isReadable(passwordHash)) reportFault?.(explainUnreadableHash(passwordHash))
        return undefined
      }
      if (newHash !== undefined) await rehash.storeHash(stored, newHash)
      return toUser(stored)
    },
    findById: async (id, options) => {
      const stored = readStored(await findById(id, options), 'findById')
      return stored && toUser(stored)
    },
  }
}

type ReportFault = PasswordCheckOptions['reportFault']

const otherName =
  'a login failed whose password was not checked: `findByUsername` returned a user whose `username` is not the name that was sent. If users may also log in with another name, such as an e-mail address, omit `username` from the returned user. Ignore this report if your table compares names without accents.'

const lookupTimeouts = { min: 10, max: 60_000, default: 1_000, unit: 'milliseconds' } as const

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

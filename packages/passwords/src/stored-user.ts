import type { User } from '@jwt-auth/core'

/** A user with their stored password hash. */
export interface StoredUser extends User {
  /** In one of the forms that the hashers read. `null` for a user without a password. */
  readonly passwordHash: string | null
  /**
   * The user name as it is stored. If set, it is compared exactly, because databases whose
   * collation ignores accents (such as MySQL's) return `ann` for `änn`, which would multiply the
   * guesses for one account.
   * @default not compared
   */
  readonly username?: string | undefined
}

/** A stored user as the service and the application see them. */
export type WithoutHash<S extends StoredUser> = User & Omit<S, 'passwordHash'>

interface HashKind {
  readonly form: RegExp
  readonly name: string
  readonly fix: string
}

const ownHasher = 'Pass a `PasswordHasher` of your own in `legacyHashers`, or let these users set a new password.'

const pass = (hasher: string, otherwise: string): string =>
  `Pass ${hasher}. If this hasher is configured already, the stored hash is truncated or padded, or it ${otherwise}: store hashes in a text column of 255 characters.`

const passLegacy = (hasher: string, otherwise: string): string =>
  pass(`${hasher} of @jwt-auth/express/legacy-hashers in \`legacyHashers\``, otherwise)

// The first matching form counts. The list is closed, so there are few messages, and none contains
// a part of a stored hash.
const kinds: readonly HashKind[] = [
  { form: /^\s*$/, name: 'empty text', fix: 'Store null for a user without a password.' },
  {
    form: /^\$argon2id\$/,
    name: 'an Argon2id hash',
    fix: pass('argon2idHasher() of @jwt-auth/express/argon2 as `hasher` or in `legacyHashers`', 'is out of bounds'),
  },
  {
    form: /^(\$jwtauth1|\$wp)?\$2[abxy]?\$/,
    name: 'a bcrypt hash',
    fix: pass('bcryptHasher() as `hasher` or in `legacyHashers`', 'has a cost above 15'),
  },
  {
    form: /^\$[PH]\$/,
    name: 'a phpass hash, as WordPress stored them before 6.8',
    fix: passLegacy('phpassHasher()', 'has a cost above 18'),
  },
  {
    form: /^pbkdf2_sha256\$/,
    name: 'a PBKDF2 hash, as Django stores them',
    fix: passLegacy('djangoHasher()', 'has more than 5,000,000 iterations'),
  },
  {
    form: /^(\$scrypt\$|[0-9a-f]{16,256}[:.][0-9a-f]{64,256}$)/i,
    name: 'a scrypt hash',
    fix: passLegacy('scryptHasher()', 'is out of bounds'),
  },
  {
    form: /^\$firebase\$/,
    name: 'a scrypt hash of Firebase',
    fix: passLegacy('firebaseHasher({ signerKey, saltSeparator })', 'belongs to a project with another signer key'),
  },
  { form: /^\$/, name: 'a hash of another algorithm', fix: ownHasher },
]

const unknownKind: Omit<HashKind, 'form'> = {
  name: 'plain text, or a hash of an unknown form',
  fix: 'Replace plain text with `await hashPassword(password)`. For hashes of an unknown form, pass a `PasswordHasher` of your own in `legacyHashers`. Store null for users without a password.',
}

/**
 * Returns a message with the kind of a stored hash that no hasher can read, and the fix. The
 * message contains no part of the hash.
 */
export const explainUnreadableHash = (storedHash: string): string => {
  const { name, fix } = kinds.find(({ form }) => form.test(storedHash)) ?? unknownKind
  return `a login failed, and every password of this user fails: the stored password hash is ${name}, which no configured hasher can read. ${fix}`
}

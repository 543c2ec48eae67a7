import {
  callError,
  checkOptionNames,
  describeValue,
  type HashingPriority,
  maxPasswordLength,
  optionError,
  readPort,
} from '@jwt-auth/core/internal'
import { bcryptHasher } from './bcrypt.js'
import { type HashingQueue, processQueue } from './hashing-queue.js'
import type { LegacyHasher, PasswordHasher, PasswordMatch } from './password-hasher.js'

/**
 * How passwords are hashed. Pass the same options to everything that hashes. `undefined` means the
 * same as omitting an option.
 */
export interface HashingOptions {
  /** bcrypt's cost, 4 to 15. Only without `hasher`. @default 12 */
  readonly cost?: number | undefined
  /** Makes new hashes and checks stored hashes of its kind. @default bcryptHasher({ cost }) */
  readonly hasher?: PasswordHasher | undefined
  /**
   * Hashers that check the other kinds of stored hashes: other password hashers, or those of
   * `@jwt-auth/passwords/legacy-hashers`, such as `phpassHasher()`. Each adds the work of one hash
   * to every attempt.
   * @default none
   */
  readonly legacyHashers?: readonly LegacyHasher[] | undefined
  /**
   * The queue that limits concurrent hashing.
   * @default one queue for the whole process, with the defaults of `createHashingQueue`
   */
  readonly queue?: HashingQueue | undefined
}

/**
 * The options of {@link hashPassword} and {@link verifyPassword}. `undefined` means the same as
 * omitting an option.
 */
export interface HashingCallOptions extends HashingOptions {
  /**
   * The priority of a request in the hashing queue: what the service passes to the methods of a
   * user directory.
   * @default the application's own priority
   */
  readonly priority?: HashingPriority | undefined
}

/** The names of the {@link HashingOptions}. */
export const hashingOptionNames: Record<keyof HashingOptions, true> = {
  cost: true,
  hasher: true,
  legacyHashers: true,
  queue: true,
}

const callOptionNames: Record<keyof HashingCallOptions, true> = { ...hashingOptionNames, priority: true }

/**
 * Hashes a password for storing: with bcrypt, about 70 characters long, unless the options set
 * another hasher. The whole password counts, in Unicode's form NFC: 1 to 4,096 UTF-16 code units,
 * well-formed. For imports and other jobs: in a request, call `auth.hashPassword(req, password)`.
 * Takes turns in the hashing queue with logins from new networks.
 *
 * @throws TypeError for any other password, which no login could send, and for an invalid option
 * @throws AuthError `jwt_auth_unavailable` when too many hashes wait
 * @example
 * ```ts
 * await hashPassword('correct horse battery staple') // '$jwtauth1$2b$12$…'
 * ```
 */
export const hashPassword = async (password: string, options: HashingCallOptions = {}): Promise<string> => {
  const own = checkOptionNames(options, callOptionNames, 'hashPassword')
  return hashInQueue(resolveHashing(own), password, own.priority)
}

/** Hashes a password with resolved options. */
export const hashInQueue = async (
  { queue, hasher }: Pick<ReturnType<typeof resolveHashing>, 'queue' | 'hasher'>,
  password: string,
  priority: HashingPriority | undefined,
): Promise<string> => {
  const isText = typeof password === 'string' && password !== '' && password.isWellFormed()
  if (!isText || password.length > maxPasswordLength) {
    throw callError('hashPassword', `needs a well-formed string of 1 to ${maxPasswordLength} characters.`)
  }
  return queue.run(() => hasher.hash(password), priority)
}

/**
 * Checks a password against a stored hash: a new one, `$2a$`, `$2b$`, `$2y$` (of which bcrypt reads
 * 72 bytes), WordPress's `$wp$2y$`, or what the hashers of the options read. Resolves to `false`
 * without a hash (`null`, `undefined`) and for a hash of any other form, after the same work: a
 * user directory of your own can rely on it.
 *
 * @throws TypeError for a password that is not text, and for a hash in place of the password
 * @throws AuthError `jwt_auth_unavailable` when too many hashes wait
 * @example
 * ```ts
 * await verifyPassword(password, user?.passwordHash)
 * ```
 */
export const verifyPassword = async (
  password: string,
  storedHash: string | null | undefined,
  options: HashingCallOptions = {},
): Promise<boolean> => {
  const own = checkOptionNames(options, callOptionNames, 'verifyPassword')
  const { queue, compare, isReadable } = resolveHashing(own)
  if (typeof password !== 'string') {
    throw callError('verifyPassword', `needs the password as text; received ${describeValue(password)}.`)
  }
  const hash = typeof storedHash === 'string' ? storedHash : undefined
  const match = await queue.run(() => compare(password, hash), own.priority)
  if (match === 'mismatch' && hash !== undefined && isReadable(password) && !isReadable(hash)) {
    throw callError('verifyPassword', 'received a hash as the password; write verifyPassword(password, hash).')
  }
  return match !== 'mismatch'
}

/**
 * Checks the options and applies their defaults.
 *
 * @throws TypeError that names the option
 */
export const resolveHashing = ({ cost, hasher: given, legacyHashers = [], queue }: HashingOptions) => {
  if (given !== undefined && cost !== undefined) throw optionError('cost', 'omitted when `hasher` is set', cost)
  const hasher =
    given === undefined ? bcryptHasher({ cost }) : readPort('hasher', given, ['hash', 'verify', 'needsRehash'])
  if (!Array.isArray(legacyHashers)) throw optionError('legacyHashers', 'a list of password hashers', legacyHashers)
  const legacy = legacyHashers.map((one, position) => readPort(`legacyHashers[${position}]`, one, ['verify']))
  const hashers: readonly LegacyHasher[] = [hasher, ...legacy]
  return {
    queue: queue === undefined ? processQueue() : readPort('queue', queue, ['run']),
    hasher,
    /**
     * Compares a password with a stored hash, and always does the work of one hash of every kind
     * that may be stored. Call it inside the queue.
     */
    compare: async (password: string, storedHash: string | null | undefined): Promise<PasswordMatch> => {
      let match: PasswordMatch = 'mismatch'
      for (const one of hashers) {
        // All hashers do their work, even after one has matched.
        const found = await one.verify(password, storedHash ?? undefined)
        if (match === 'mismatch') match = found
      }
      return match
    },
    /** Returns whether one of the hashers may read a stored hash. */
    isReadable: (storedHash: string): boolean => hashers.some((one) => one.isReadable?.(storedHash) ?? true),
  }
}

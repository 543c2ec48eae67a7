import { optionError, readPort } from '../option-checks.js'
import { bcryptHasher } from './bcrypt-hasher.js'
import type { HashingQueue } from './hashing-queue.js'
import type { PasswordHasher, PasswordMatch } from './password-hasher.js'
import { processQueue } from './process-queue.js'

/** How passwords are hashed. One object of these serves everything of a host that hashes. `undefined` equals absent. */
export interface HashingOptions {
  /** bcrypt's cost, 4 to 15, where `hasher` names no other algorithm. @default 12 */
  readonly cost?: number | undefined
  /** Makes new hashes and checks those of its kind. @default bcryptHasher({ cost }) */
  readonly hasher?: PasswordHasher | undefined
  /**
   * Check the kinds of hashes that are still stored from before. Each adds the work of one hash to every attempt, so that
   * time does not tell whose hash is of which kind. @default none
   */
  readonly legacyHashers?: readonly PasswordHasher[] | undefined
  /** What hashing waits for. @default one queue for the whole process, with the defaults of `createHashingQueue` */
  readonly queue?: HashingQueue | undefined
}

/** The options with every default in place. */
export interface Hashing {
  readonly queue: HashingQueue
  readonly hasher: PasswordHasher
  /** Compares with the work of one hash of every kind that may be stored. Belongs inside the queue. */
  readonly compare: (password: string, storedHash: string | null | undefined) => Promise<PasswordMatch>
  /** Whether one of the hashers may know the kind of a stored hash. */
  readonly isReadable: (storedHash: string) => boolean
}

/** Checks the options. Throws a `TypeError` that names the option. */
export const resolveHashing = ({ cost, hasher: given, legacyHashers = [], queue }: HashingOptions): Hashing => {
  if (given !== undefined && cost !== undefined) throw optionError('cost', 'left out where `hasher` is given', cost)
  const hasher = given === undefined ? bcryptHasher({ cost }) : readHasher('hasher', given)
  if (!Array.isArray(legacyHashers)) throw optionError('legacyHashers', 'a list of password hashers', legacyHashers)
  const hashers = [hasher, ...legacyHashers.map((old, position) => readHasher(`legacyHashers[${position}]`, old))]
  return {
    queue: queue === undefined ? processQueue() : readPort('queue', queue, ['run']),
    hasher,
    compare: (password, storedHash) => compareWithAll(hashers, password, storedHash ?? undefined),
    isReadable: (storedHash) => hashers.some((one) => one.isReadable?.(storedHash) ?? true),
  }
}

const readHasher = (name: string, hasher: PasswordHasher): PasswordHasher =>
  readPort(name, hasher, ['hash', 'verify', 'needsRehash'])

const compareWithAll = async (
  hashers: readonly PasswordHasher[],
  password: string,
  storedHash: string | undefined,
): Promise<PasswordMatch> => {
  let match: PasswordMatch = 'mismatch'
  for (const hasher of hashers) {
    const found = await hasher.verify(password, storedHash)
    // All of them work, also after one has matched.
    if (match === 'mismatch') match = found
  }
  return match
}

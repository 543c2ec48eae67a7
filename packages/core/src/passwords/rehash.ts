import { AuthError, setupError } from '../errors/auth-error.js'
import { createStderrReport } from '../errors/report-to-stderr.js'
import { readFunction, readPort } from '../option-checks.js'
import { createDeadline } from '../ports/deadline.js'
import type { UserId } from '../ports/user-directory.js'
import { machineSystem, type System } from '../system.js'
import type { PasswordHasher } from './password-hasher.js'
import type { StoredUser } from './stored-user.js'

/** How hashes of an old kind, or of too little work, are replaced while their users log in. */
export interface RehashOptions {
  /**
   * Writes a new hash, in one atomic step, only where the stored one is still `expectedHash`; answers whether it did. In SQL:
   * `UPDATE … SET password_hash = newHash WHERE id = userId AND password_hash = expectedHash`. Reading first and writing then
   * would undo a password change in between. What it throws, or does not finish within a second, does not fail the login.
   */
  readonly replaceHash: (userId: UserId, expectedHash: string, newHash: string) => Promise<boolean>
  /** Called with each failure to replace a hash. The next login tries again. @default a record on stderr */
  readonly onError?: ((error: AuthError) => void) | undefined
  /** Timers, for tests. @default the machine's */
  readonly system?: Pick<System, 'startTimer'> | undefined
}

/** The two halves of replacing a hash. */
export interface Rehash {
  /**
   * Hashes a password that was just found right; `undefined` when the stored hash is current, or hashing failed. Belongs
   * inside the queue. Throws an `AuthError` for the host when the user has no `credentialVersion`.
   */
  readonly makeHash: (stored: StoredUser, password: string) => Promise<string | undefined>
  /** Stores the new hash, unless the old one was changed meanwhile. Never rejects: a login does not fail over it. */
  readonly storeHash: (stored: StoredUser, newHash: string) => Promise<void>
}

// A row that another transaction of the host holds is not waited for any longer.
const timeoutMs = 1_000

const noRehash: Rehash = { makeHash: async () => undefined, storeHash: async () => {} }

/** Checks the options. Without any, nothing is replaced. */
export const createRehash = (options: RehashOptions | undefined, hasher: PasswordHasher): Rehash => {
  if (options === undefined) return noRehash
  readPort('rehash', options, ['replaceHash'])
  const { system = machineSystem } = options
  const startTimer = readFunction('rehash.system.startTimer', system.startTimer, machineSystem.startTimer).bind(system)
  const runInTime = createDeadline(timeoutMs, startTimer, 'the time to replace a hash')
  const report = createReport(readFunction('rehash.onError', options.onError, createStderrReport(machineSystem)))

  return {
    makeHash: async (stored, password) => {
      checkVersion(stored)
      if (stored.passwordHash === null || !hasher.needsRehash(stored.passwordHash)) return undefined
      try {
        return await hasher.hash(password)
      } catch (cause) {
        return report(cause)
      }
    },
    storeHash: async ({ id, passwordHash }, newHash) => {
      if (passwordHash === null) return
      try {
        await runInTime(async () => options.replaceHash(id, passwordHash, newHash))
      } catch (cause) {
        report(cause)
      }
    },
  }
}

const createReport =
  (onError: (error: AuthError) => void) =>
  (cause: unknown): undefined => {
    try {
      onError(new AuthError('jwt_auth_unavailable', { detail: 'a password hash was not replaced', cause }))
    } catch {
      // Of a log that fails there is nobody left to tell.
    }
  }

const checkVersion = ({ credentialVersion }: StoredUser): void => {
  if (credentialVersion !== undefined) return
  throw setupError(
    'rehash needs users with a `credentialVersion` of their own, such as random text that changes with the password: a version derived from the hash would end all sessions of a user whose hash is replaced.',
  )
}

import type { AuthError, System, UserId } from '@jwt-auth/core'
import {
  createDeadline,
  createStderrReport,
  readFunction,
  readPort,
  readSystem,
  setupError,
} from '@jwt-auth/core/adapter'
import type { PasswordHasher } from './password-hasher.js'
import { reportFailure } from './report-failure.js'
import type { StoredUser } from './stored-user.js'

/** How hashes of another kind, or of too little work, are replaced when their users log in. */
export interface RehashOptions {
  /**
   * Writes a new hash in one atomic step, only if the stored hash is still `expectedHash`. Resolves
   * to whether it did. In SQL: `UPDATE … SET password_hash = newHash WHERE id = userId AND
   * password_hash = expectedHash`. Reading first and writing then would overwrite a password change
   * in between. If it rejects, or takes longer than a second, the login succeeds nevertheless.
   */
  readonly replaceHash: (userId: UserId, expectedHash: string, newHash: string) => Promise<boolean>
  /**
   * Called with each failure to replace a hash. The next login tries again.
   * @default a record on stderr
   */
  readonly onError?: ((error: AuthError) => void) | undefined
  /** The clock and timers, for tests. @default the machine's */
  readonly system?: Partial<Pick<System, 'now' | 'startTimer'>> | undefined
}

// A login waits no longer than this for a row that another transaction of the application has
// locked.
const timeoutMs = 1_000

/**
 * Checks the options. Returns the two steps of replacing a hash.
 *
 * @throws TypeError that names the option
 */
export const createRehash = (options: RehashOptions, hasher: PasswordHasher) => {
  readPort('rehash', options, ['replaceHash'])
  const system = readSystem(options.system, 'rehash.system')
  const runInTime = createDeadline(timeoutMs, system.startTimer, 'the time to replace a hash')
  const onError = readFunction('rehash.onError', options.onError) ?? createStderrReport(system)

  const report = (cause: unknown): undefined => {
    reportFailure(onError, 'a password hash was not replaced', cause)
  }

  return {
    /**
     * Hashes a password that was just checked. Resolves to `undefined` when the stored hash needs
     * no rehash, or hashing failed. Call it inside the queue.
     *
     * @throws AuthError `jwt_auth_internal_error` when the user has no `credentialVersion`
     */
    makeHash: async (stored: StoredUser, password: string): Promise<string | undefined> => {
      checkVersion(stored)
      if (stored.passwordHash === null || !hasher.needsRehash(stored.passwordHash)) return undefined
      try {
        return await hasher.hash(password)
      } catch (cause) {
        return report(cause)
      }
    },
    /**
     * Stores the new hash, unless the old one has changed meanwhile. Never rejects: a login does
     * not fail because of it.
     */
    storeHash: async ({ id, passwordHash }: StoredUser, newHash: string): Promise<void> => {
      if (passwordHash === null) return
      try {
        await runInTime(async () => options.replaceHash(id, passwordHash, newHash))
      } catch (cause) {
        report(cause)
      }
    },
  }
}

const checkVersion = ({ credentialVersion }: StoredUser): void => {
  if (credentialVersion !== undefined) return
  throw setupError(
    'rehash needs users with a `credentialVersion`, such as random text that changes with the password: a version derived from the hash would end all sessions of a user whose hash is replaced.',
  )
}

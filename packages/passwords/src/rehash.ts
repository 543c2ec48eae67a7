import type { UserId } from '@jwt-auth/core'
import { createDeadline, machineSystem, type PasswordCheckOptions, readPort, setupError } from '@jwt-auth/core/internal'
import type { PasswordHasher } from './password-hasher.js'
import type { StoredUser } from './stored-user.js'

/** How hashes of another kind, or of too little work, are replaced when their users log in. */
export interface RehashOptions {
  /**
   * Writes a new hash in one atomic step, only if the stored hash is still `expectedHash`. Resolves
   * to whether it did. In SQL: `UPDATE … SET password_hash = newHash WHERE id = userId AND
   * password_hash = expectedHash`. Reading first and writing then would overwrite a password change
   * in between. If it rejects, or takes longer than a second, `onError` of the service is called.
   * The login succeeds, and the next login tries again.
   */
  readonly replaceHash: (userId: UserId, expectedHash: string, newHash: string) => Promise<boolean>
}

// A login waits no longer than this for a row that another transaction of the application has
// locked.
const timeoutMs = 1_000

/**
 * Checks the options. Returns the two steps of replacing a hash. Both report a failure instead of
 * rejecting: a login does not fail because of it.
 *
 * @param system for tests
 * @throws TypeError that names the option
 */
export const createRehash = (options: RehashOptions, hasher: PasswordHasher, system = machineSystem) => {
  readPort('rehash', options, ['replaceHash'])
  const runInTime = createDeadline(timeoutMs, system, 'the time to replace a hash')

  return {
    /**
     * Hashes a password that was just checked. Resolves to `undefined` when the stored hash needs
     * no rehash, or hashing failed. Call it inside the queue.
     *
     * @throws AuthError `jwt_auth_internal_error` when the user has no `credentialVersion`
     */
    makeHash: async (stored: StoredUser, password: string, reportFault: ReportFault): Promise<string | undefined> => {
      checkVersion(stored)
      if (stored.passwordHash === null || !hasher.needsRehash(stored.passwordHash)) return undefined
      return orReport(() => hasher.hash(password), reportFault)
    },
    /** Stores the new hash, unless the old one has changed meanwhile. */
    storeHash: async ({ id, passwordHash }: StoredUser, newHash: string, reportFault: ReportFault): Promise<void> => {
      if (passwordHash === null) return
      await orReport(() => runInTime(async () => options.replaceHash(id, passwordHash, newHash)), reportFault)
    },
  }
}

export type ReportFault = PasswordCheckOptions['reportFault']

const orReport = async <T>(work: () => Promise<T>, reportFault: ReportFault): Promise<T | undefined> => {
  try {
    return await work()
  } catch (cause) {
    reportFault?.('a password hash was not replaced', cause)
    return undefined
  }
}

const checkVersion = ({ credentialVersion }: StoredUser): void => {
  if (credentialVersion !== undefined) return
  throw setupError(
    'rehash needs users with a `credentialVersion`, such as random text that changes with the password: a version derived from the hash would end all sessions of a user whose hash is replaced.',
  )
}

import type { CallOptions, SessionStorage, User, UserDirectory } from '@jwt-auth/core'
import type { FoundSession, SessionRecord } from '@jwt-auth/core/adapter'
import type { PasswordCheckOptions } from '@jwt-auth/core/internal'

/** Finds sessions that a test can read. Rejects with the error of an unreadable session. */
export const findRecords = async (
  storage: SessionStorage,
  ids: readonly string[],
  options?: CallOptions,
): Promise<readonly SessionRecord[]> => (await storage.findByIds(ids, options)).map(requireRecord)

/** Finds a session that a test can read. Resolves to `undefined` if there is none. */
export const findRecord = async (
  storage: SessionStorage,
  id: string,
  options?: CallOptions,
): Promise<SessionRecord | undefined> => (await findRecords(storage, [id], options))[0]

const requireRecord = (session: FoundSession): SessionRecord => {
  if ('error' in session) throw session.error
  return session
}

/**
 * Finds the user with a given name and checks the password, as a login does. Resolves to the user
 * when the password is right.
 */
export const findByCredentials = async (
  users: UserDirectory,
  username: string,
  password: string,
  options: PasswordCheckOptions = {},
): Promise<User | undefined> => {
  const user = await users.findByUsername(username, options)
  return (await users.verifyPassword(user, password, options)) ? user : undefined
}

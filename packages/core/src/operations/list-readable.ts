import { toStorageError } from '../ports/own-sessions.js'
import type { ActiveList, SessionRecord } from '../ports/session-storage.js'
import type { UserId } from '../ports/user-directory.js'
import type { ServiceContext } from './service-context.js'

/** Finds the active sessions of a user that can be read. Reports each of the others with its id. */
export const listReadable = async (
  { storage, report }: Pick<ServiceContext, 'storage' | 'report'>,
  userId: UserId,
  list: ActiveList,
): Promise<readonly SessionRecord[]> => {
  const listed = await storage.listActive(userId, list)
  return listed.flatMap((session) => {
    if (!('error' in session)) return session
    report(toStorageError(session.error, session.id))
    return []
  })
}

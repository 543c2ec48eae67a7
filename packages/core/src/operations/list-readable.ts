import { toStorageError } from '../ports/own-sessions.js'
import type { SessionFilter, SessionRecord } from '../ports/session-storage.js'
import type { UserId } from '../ports/user-directory.js'
import type { ServiceContext } from './service-context.js'

/** Finds the sessions of a user that match a filter and can be read. Reports each matching session that cannot be read. */
export const listReadable = async (
  { storage, report }: Pick<ServiceContext, 'storage' | 'report'>,
  userId: UserId,
  filter: SessionFilter,
): Promise<readonly SessionRecord[]> => {
  const listed = await storage.list(userId, filter)
  return listed.flatMap((session) => {
    if (!('error' in session)) return session
    report(toStorageError(session.error, session.id))
    return []
  })
}

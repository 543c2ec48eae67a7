import type { SessionStorage } from '@jwt-auth/core'
import type { FoundSession, SessionRecord } from '@jwt-auth/core/adapter'

/** A mistake that adapters make, and the cases that catch it. */
export interface Mistake {
  /** Completes the sentence "an adapter that …". */
  readonly does: string
  /** Returns the methods of a storage that have the mistake. */
  readonly breakMethods: (storage: SessionStorage) => Partial<SessionStorage>
  /** Titles of cases that fail. Others may fail too. */
  readonly caughtBy?: readonly string[]
  /** Titles of all cases that fail. */
  readonly caughtOnlyBy?: readonly string[]
}

/** Puts a mistake into a storage. */
export const breakStorage = ({ breakMethods }: Mistake, storage: SessionStorage): SessionStorage => ({
  ...storage,
  ...breakMethods(storage),
})

/**
 * Returns lookups and lists that resolve to changed records, and omit records that `change` turns
 * into `undefined`.
 */
export const changeReads = (
  storage: SessionStorage,
  change: (session: SessionRecord) => SessionRecord | undefined,
): Pick<SessionStorage, 'findByIds' | 'findBySelectorHash' | 'list'> => {
  const changeOne = (session: FoundSession) => ('error' in session ? session : change(session))
  const changeAll = (sessions: readonly FoundSession[]) => sessions.flatMap((session) => changeOne(session) ?? [])
  return {
    findByIds: async (ids, options) => changeAll(await storage.findByIds(ids, options)),
    findBySelectorHash: async (selectorHash, options) => {
      const found = await storage.findBySelectorHash(selectorHash, options)
      return found && changeOne(found)
    },
    list: async (list, options) => changeAll(await storage.list(list, options)),
  }
}

/** Returns the method `create` of a storage, and the sessions that it stored. */
export const recordSessions = (storage: SessionStorage) => {
  const stored: SessionRecord[] = []
  const create: SessionStorage['create'] = async (session, options) => {
    await storage.create(session, options)
    stored.push(session)
  }
  return { stored, create }
}

/** Throws the error of the first session that cannot be read. */
export const requireReadable = (sessions: readonly FoundSession[]): void => {
  for (const session of sessions) if ('error' in session) throw session.error
}

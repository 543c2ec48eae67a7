import type { SessionRecord, SessionStorage } from '../ports/session-storage.js'

/** Finds a session by id as storage has it after the call began. Rejects when storage can't answer. */
export type FindSession = (id: string) => Promise<SessionRecord | undefined>

/** Creates the lookup that calls storage once for each session. */
export const createSingleLookup =
  (findByIds: SessionStorage['findByIds']): FindSession =>
  (id) =>
    findByIds([id]).then((sessions) => sessions.find((session) => session.id === id))

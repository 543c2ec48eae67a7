import { type Awaitable, andThen } from '../awaitable.js'
import type { SessionRecord, SessionStorage } from '../ports/session-storage.js'

/** Finds a session by id as storage has it after the call began. Throws or rejects when storage can't answer. */
export type FindSession = (id: string) => Awaitable<SessionRecord | undefined>

/** Creates a lookup with one call to storage for each session. Synchronous where storage is. */
export const createSingleLookup =
  (findByIds: SessionStorage['findByIds']): FindSession =>
  (id) =>
    andThen(findByIds([id]), (sessions) => sessions.find((session) => session.id === id))

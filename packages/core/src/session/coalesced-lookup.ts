import type { SessionRecord, SessionStorage } from '../ports/session-storage.js'

/** Finds a session by id as storage has it after the call began. Rejects when storage can't answer. */
export type FindSession = (id: string) => Promise<SessionRecord | undefined>

interface Waiter {
  readonly resolve: (session: SessionRecord | undefined) => void
  readonly reject: (reason: unknown) => void
}

const mostBatchesUnderWay = 4
const mostIdsInBatch = 500

/**
 * Lookups that wait in the same moment go to storage as one batch. A lookup joins only a batch that was not yet sent:
 * joining one under way could answer with what stood before a revocation that was acknowledged in between.
 */
export const createCoalescedLookup = (findByIds: SessionStorage['findByIds']): FindSession => {
  let waiting = new Map<string, Waiter[]>()
  let underWay = 0

  const sendWaiting = async (): Promise<void> => {
    const batch = waiting
    waiting = new Map()
    underWay += 1
    try {
      answer(batch, await findByIds([...batch.keys()]))
    } catch (reason) {
      for (const waiters of batch.values()) for (const { reject } of waiters) reject(reason)
    } finally {
      underWay -= 1
      if (waiting.size > 0) void sendWaiting()
    }
  }

  return (id) =>
    new Promise((resolve, reject) => {
      const waiters = waiting.get(id)
      if (waiters === undefined) waiting.set(id, [{ resolve, reject }])
      else waiters.push({ resolve, reject })
      if (underWay < mostBatchesUnderWay || waiting.size >= mostIdsInBatch) void sendWaiting()
    })
}

const answer = (batch: ReadonlyMap<string, readonly Waiter[]>, sessions: readonly SessionRecord[]): void => {
  const found = new Map(sessions.map((session) => [session.id, session]))
  for (const [id, waiters] of batch) for (const { resolve } of waiters) resolve(found.get(id))
}

import { setImmediate } from 'node:timers'
import { type Awaitable, isPromise } from '../awaitable.js'
import type { SessionRecord, SessionStorage } from '../ports/session-storage.js'

/** Finds a session by id as storage has it after the call began. Throws or rejects when storage can't answer. */
export type FindSession = (id: string) => Awaitable<SessionRecord | undefined>

interface Waiter {
  readonly resolve: (session: SessionRecord | undefined) => void
  readonly reject: (reason: unknown) => void
}

const mostBatchesUnderWay = 4
const mostIdsInBatch = 500

/**
 * Finds sessions one by one in a storage that answers at once. In any other, lookups of the same moment go to storage as one
 * batch. A lookup joins only a batch that was not yet sent: joining one under way could answer with what stood before a
 * revocation that was acknowledged in between.
 */
export const createCoalescedLookup = (findByIds: SessionStorage['findByIds']): FindSession => {
  const findInBatch = createBatchedLookup(findByIds)
  let answersAtOnce = true
  return (id) => {
    if (!answersAtOnce) return findInBatch(id)
    const answer = findByIds([id])
    if (!isPromise(answer)) return pick(answer, id)
    answersAtOnce = false
    return answer.then((sessions) => pick(sessions, id))
  }
}

const pick = (sessions: readonly SessionRecord[], id: string): SessionRecord | undefined =>
  sessions.find((session) => session.id === id)

const createBatchedLookup = (findByIds: SessionStorage['findByIds']): FindSession => {
  let waiting = new Map<string, Waiter[]>()
  let underWay = 0
  let isSendingSoon = false

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

  const sendIfThereIsRoom = (): void => {
    isSendingSoon = false
    if (waiting.size > 0 && underWay < mostBatchesUnderWay) void sendWaiting()
  }

  // Node calls back the sockets that have something to read one after another, and only then what was set for immediately.
  const sendSoon = (): void => {
    if (isSendingSoon) return
    isSendingSoon = true
    setImmediate(sendIfThereIsRoom)
  }

  return (id) =>
    new Promise((resolve, reject) => {
      const waiters = waiting.get(id)
      if (waiters === undefined) waiting.set(id, [{ resolve, reject }])
      else waiters.push({ resolve, reject })
      if (waiting.size >= mostIdsInBatch) void sendWaiting()
      else sendSoon()
    })
}

const answer = (batch: ReadonlyMap<string, readonly Waiter[]>, sessions: readonly SessionRecord[]): void => {
  const found = new Map(sessions.map((session) => [session.id, session]))
  for (const [id, waiters] of batch) for (const { resolve } of waiters) resolve(found.get(id))
}

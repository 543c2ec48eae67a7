import { setImmediate } from 'node:timers'
import { type Awaitable, isPromise } from '../awaitable.js'
import type { StartDeadline } from '../ports/deadline.js'
import { mostIdsInBatch, type SessionRecord, type SessionStorage } from '../ports/session-storage.js'

/** Finds a session by id as storage has it after the call began. Throws or rejects when storage can't answer. */
export type FindSession = (id: string) => Awaitable<SessionRecord | undefined>

interface Waiter {
  readonly resolve: (session: SessionRecord | undefined) => void
  readonly reject: (reason: unknown) => void
}

const mostBatchesUnderWay = 4

/**
 * Finds sessions one by one in a storage that answers at once. In any other, lookups of the same moment go to storage as one
 * batch. A lookup joins only a batch that was not yet sent: joining one under way could answer with what stood before a
 * revocation that was acknowledged in between. The time that a batch waits for its turn counts as storage's.
 */
export const createCoalescedLookup = (
  findByIds: SessionStorage['findByIds'],
  startDeadline: StartDeadline,
): FindSession => {
  const findInBatch = createBatchedLookup(findByIds, startDeadline)
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

/** Who waits for which session. */
type Waiters = Map<string, Waiter[]>

interface Batch {
  readonly waiters: Waiters
  readonly stopDeadline: () => void
}

const createBatchedLookup = (findByIds: SessionStorage['findByIds'], startDeadline: StartDeadline): FindSession => {
  let queue: readonly Batch[] = []
  let underWay = 0
  let isSendingSoon = false

  const send = async ({ waiters, stopDeadline }: Batch): Promise<void> => {
    underWay += 1
    try {
      answer(waiters, await findByIds([...waiters.keys()]))
    } catch (reason) {
      refuse(waiters, reason)
    } finally {
      stopDeadline()
      underWay -= 1
      sendWhileThereIsRoom()
    }
  }

  const sendWhileThereIsRoom = (): void => {
    const sent = queue.slice(0, mostBatchesUnderWay - underWay)
    queue = queue.slice(sent.length)
    for (const batch of sent) void send(batch)
  }

  // Node calls back the sockets that have something to read one after another, and only then what was set for immediately.
  const sendSoon = (): void => {
    if (isSendingSoon) return
    isSendingSoon = true
    setImmediate(() => {
      isSendingSoon = false
      sendWhileThereIsRoom()
    })
  }

  const openBatch = (): Batch => {
    const waiters: Waiters = new Map()
    const giveUp = (reason: unknown): void => {
      queue = queue.filter((batch) => batch.waiters !== waiters)
      refuse(waiters, reason)
    }
    const batch = { waiters, stopDeadline: startDeadline(giveUp) }
    queue = [...queue, batch]
    return batch
  }

  const findOpenBatch = (): Batch => {
    const last = queue.at(-1)
    return last !== undefined && last.waiters.size < mostIdsInBatch ? last : openBatch()
  }

  return (id) =>
    new Promise((resolve, reject) => {
      const { waiters } = findOpenBatch()
      const present = waiters.get(id)
      if (present === undefined) waiters.set(id, [{ resolve, reject }])
      else present.push({ resolve, reject })
      if (waiters.size >= mostIdsInBatch) sendWhileThereIsRoom()
      else sendSoon()
    })
}

const answer = (waiters: Waiters, sessions: readonly SessionRecord[]): void => {
  const found = new Map(sessions.map((session) => [session.id, session]))
  for (const [id, asking] of waiters) for (const { resolve } of asking) resolve(found.get(id))
}

const refuse = (waiters: Waiters, reason: unknown): void => {
  for (const asking of waiters.values()) for (const { reject } of asking) reject(reason)
}

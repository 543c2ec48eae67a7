import { setImmediate } from 'node:timers'
import { isPromise } from '../awaitable.js'
import type { StartDeadline } from '../ports/deadline.js'
import { mostIdsInBatch, type SessionRecord, type SessionStorage } from '../ports/session-storage.js'
import { createBatchSearch } from './batch-search.js'
import { createSingleLookup, type FindSession } from './single-lookup.js'

interface Waiter {
  readonly resolve: (session: SessionRecord | undefined) => void
  readonly reject: (reason: unknown) => void
}

const mostBatchesUnderWay = 4

/**
 * Creates the lookup of sessions. In a storage that answers synchronously, it looks sessions up one by one. In any other storage,
 * lookups of the same moment are one batch, which fails only the lookups it must: see {@link createBatchSearch}. A lookup joins only
 * a batch that was not yet sent: a batch in flight could return a session as it was before a revocation that was acknowledged since.
 * The time that a batch waits for its turn counts towards the deadline.
 */
export const createCoalescedLookup = (
  findByIds: SessionStorage['findByIds'],
  startDeadline: StartDeadline,
): FindSession => {
  const findAlone = createSingleLookup(findByIds)
  const findInBatch = createBatchedLookup(findByIds, startDeadline)
  let answersAtOnce = true
  return (id) => {
    if (!answersAtOnce) return findInBatch(id)
    const answer = findAlone(id)
    answersAtOnce = !isPromise(answer)
    return answer
  }
}

/** Who waits for which session. */
type Waiters = Map<string, Waiter[]>

interface Batch {
  readonly waiters: Waiters
  readonly isLate: () => boolean
  readonly stopDeadline: () => void
}

const createBatchedLookup = (findByIds: SessionStorage['findByIds'], startDeadline: StartDeadline): FindSession => {
  const searchBatch = createBatchSearch(findByIds)
  let queue: readonly Batch[] = []
  let underWay = 0
  let isSendingSoon = false

  const send = async ({ waiters, isLate, stopDeadline }: Batch): Promise<void> => {
    underWay += 1
    await searchBatch([...waiters.keys()], {
      answer: (ids, sessions) => answer(waiters, ids, sessions),
      refuse: (ids, reason) => refuse(waiters, ids, reason),
      isLate,
    })
    stopDeadline()
    underWay -= 1
    sendWhileThereIsRoom()
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
    let isLate = false
    const giveUp = (reason: unknown): void => {
      isLate = true
      queue = queue.filter((batch) => batch.waiters !== waiters)
      refuse(waiters, waiters.keys(), reason)
    }
    const batch = { waiters, isLate: () => isLate, stopDeadline: startDeadline(giveUp) }
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

const answer = (waiters: Waiters, ids: readonly string[], sessions: readonly SessionRecord[]): void => {
  const found = new Map(sessions.map((session) => [session.id, session]))
  for (const id of ids) for (const { resolve } of waiters.get(id) ?? []) resolve(found.get(id))
}

const refuse = (waiters: Waiters, ids: Iterable<string>, reason: unknown): void => {
  for (const id of ids) for (const { reject } of waiters.get(id) ?? []) reject(reason)
}

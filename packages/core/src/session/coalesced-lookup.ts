import { setImmediate } from 'node:timers'
import { toStorageError } from '../ports/own-sessions.js'
import { mostIdsInBatch, type SessionRecord, type SessionStorage } from '../ports/session-storage.js'
import type { RunInTime } from '../system.js'
import { createBatchSearch } from './batch-search.js'

/** Finds a session as it is in the storage after the call. Rejects when the storage fails. */
export type FindSession = (id: string) => Promise<SessionRecord | undefined>

const mostBatchesInFlight = 4

/**
 * Creates the lookup of sessions in batches. Lookups that start in the same turn of the event loop form one batch. If the batch
 * rejects, only the lookups that cannot succeed fail: see {@link createBatchSearch}. A lookup joins only a batch that was not
 * sent yet: a batch in flight could return a session as it was before a revocation that was acknowledged since. The time that a
 * batch waits to be sent counts towards the deadline.
 */
export const createCoalescedLookup = (findByIds: SessionStorage['findByIds'], runInTime: RunInTime): FindSession => {
  const searchBatch = createBatchSearch(findByIds)
  let queue: readonly Batch[] = []
  let inFlight = 0
  let isSendingSoon = false

  const send = async ({ waiters, signal, finish }: Batch): Promise<void> => {
    inFlight += 1
    await searchBatch([...waiters.keys()], {
      resolve: (ids, sessions) => resolveAll(waiters, ids, sessions),
      reject: (ids, reason) => rejectAll(waiters, ids, reason),
      signal,
    })
    finish()
    inFlight -= 1
    sendQueue()
  }

  const sendQueue = (): void => {
    const sent = queue.slice(0, mostBatchesInFlight - inFlight)
    queue = queue.slice(sent.length)
    for (const batch of sent) void send(batch)
  }

  // Node runs the callbacks of all readable sockets first, and then the `setImmediate` callbacks.
  const sendSoon = (): void => {
    if (isSendingSoon) return
    isSendingSoon = true
    setImmediate(() => {
      isSendingSoon = false
      sendQueue()
    })
  }

  const openBatch = (): Waiters => {
    const waiters: Waiters = new Map()
    const untilFinished = (getSignal: () => AbortSignal): Promise<void> =>
      new Promise((finish) => {
        queue = [...queue, { waiters, signal: getSignal(), finish }]
      })
    runInTime(untilFinished).catch((timeout: unknown) => {
      queue = queue.filter((batch) => batch.waiters !== waiters)
      rejectAll(waiters, waiters.keys(), toStorageError(timeout))
    })
    return waiters
  }

  const findOpenBatch = (): Waiters => {
    const last = queue.at(-1)
    return last !== undefined && last.waiters.size < mostIdsInBatch ? last.waiters : openBatch()
  }

  return (id) =>
    new Promise((resolve, reject) => {
      const waiters = findOpenBatch()
      const present = waiters.get(id)
      if (present === undefined) waiters.set(id, [{ resolve, reject }])
      else present.push({ resolve, reject })
      if (waiters.size >= mostIdsInBatch) sendQueue()
      else sendSoon()
    })
}

/** The lookups that wait for each session. */
type Waiters = Map<string, Waiter[]>

interface Waiter {
  readonly resolve: (session: SessionRecord | undefined) => void
  readonly reject: (reason: unknown) => void
}

interface Batch {
  readonly waiters: Waiters
  /** Aborts at the deadline. */
  readonly signal: AbortSignal
  /** Stops the deadline. */
  readonly finish: () => void
}

const resolveAll = (waiters: Waiters, ids: readonly string[], sessions: readonly SessionRecord[]): void => {
  const found = new Map(sessions.map((session) => [session.id, session]))
  for (const id of ids) for (const { resolve } of waiters.get(id) ?? []) resolve(found.get(id))
}

const rejectAll = (waiters: Waiters, ids: Iterable<string>, reason: unknown): void => {
  for (const id of ids) for (const { reject } of waiters.get(id) ?? []) reject(reason)
}

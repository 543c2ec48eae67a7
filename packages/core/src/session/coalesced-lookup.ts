import { setImmediate } from 'node:timers'
import { toStorageError } from '../ports/own-sessions.js'
import { mostIdsInBatch, type SessionRecord, type SessionStorage } from '../ports/session-storage.js'
import type { RunInTime } from '../system.js'

/** Finds a session as it is in the storage after the call. Rejects when the storage fails. */
export type FindSession = (id: string) => Promise<SessionRecord | undefined>

const mostBatchesInFlight = 4

/**
 * Creates the lookup of sessions in batches. Lookups that start in the same turn of the event loop form one batch. If the batch
 * rejects, only the lookups that cannot succeed fail: see {@link createBatchSearch}. A lookup joins only a batch that has not been
 * sent yet: a batch in flight could return a session as it was before a revocation that has been acknowledged in the meantime. The
 * time that a batch waits to be sent counts towards the deadline.
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

/** Receives the results of a search. */
export interface BatchListener {
  /** Called with the ids that a call of the storage looked up, and the sessions that it found. */
  readonly resolve: (ids: readonly string[], sessions: readonly SessionRecord[]) => void
  /** Called with ids that could not be looked up, and the reason. */
  readonly reject: (ids: readonly string[], reason: unknown) => void
  /** Aborts at the deadline of the batch. No lookup waits after that. */
  readonly signal: AbortSignal
}

const patience = 16
const patienceWhileDown = 2

/**
 * Creates the search for a batch, which fails only the ids it must (docs/design/storage.md).
 *
 * If the call with all ids rejects, the search looks up the first id alone, and then the others in eight parts, one call after
 * another. A part that rejects is divided in the same way, down to single ids. An unreadable session, or a dead shard of a
 * cluster, thus fails its own ids. One unreadable session of 500 takes 27 calls at most.
 *
 * A storage that is down must not receive all these calls. After 16 rejected calls in a row, the search rejects all ids that are
 * left. Until a call succeeds again, every later search stops after two.
 */
export const createBatchSearch = (findByIds: SessionStorage['findByIds']) => {
  let mostFailuresInARow = patience

  const divide = async (
    ids: readonly string[],
    { resolve, reject, signal }: BatchListener,
    reason: unknown,
  ): Promise<void> => {
    const waiting = [...toParts(ids)]
    let failuresInARow = 0
    for (let part = waiting.shift(); part !== undefined && !signal.aborted; part = waiting.shift()) {
      try {
        resolve(part, await findByIds(part))
        failuresInARow = 0
        mostFailuresInARow = patience
      } catch (failure) {
        failuresInARow += 1
        if (part.length === 1) reject(part, failure)
        else waiting.unshift(...toParts(part))
      }
      if (failuresInARow < mostFailuresInARow) continue
      mostFailuresInARow = patienceWhileDown
      // The reason of the whole batch, because the last failure may name a session.
      return reject(waiting.flat(), reason)
    }
  }

  /** Resolves when every id was looked up or rejected, or when the batch has timed out. Never rejects. */
  return async (ids: readonly string[], listener: BatchListener): Promise<void> => {
    try {
      listener.resolve(ids, await findByIds(ids))
      mostFailuresInARow = patience
    } catch (reason) {
      if (ids.length === 1) listener.reject(ids, reason)
      else await divide(ids, listener, reason)
    }
  }
}

/** Returns the first id alone, which shows cheaply whether the storage works, and the others in eight parts. */
const toParts = ([first = '', ...others]: readonly string[]): readonly (readonly string[])[] => {
  const size = Math.ceil(others.length / 8)
  const parts = Array.from({ length: 8 }, (_, place) => others.slice(place * size, (place + 1) * size))
  return [[first], ...parts.filter((part) => part.length > 0)]
}

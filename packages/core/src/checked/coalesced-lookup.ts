import { type FoundSession, maxIdsInBatch, type SessionRecord, type SessionStorage } from '../ports/session-storage.js'
import { type RunInTime, runAfterInput } from '../system.js'
import { toStorageError } from './storage-error.js'

/** Finds a session as it is in the storage after the call. Rejects when the storage fails. */
export type FindSession = (id: string) => Promise<SessionRecord | undefined>

const maxBatchesInFlight = 4

/**
 * Creates the lookup of sessions in batches. Lookups that start in the same turn of the event loop
 * form one batch. A lookup joins only a batch that has not been sent yet: a batch in flight could
 * return a session as it was before a revocation that has been acknowledged in the meantime. The
 * time that a batch waits to be sent counts towards the deadline.
 */
export const createCoalescedLookup = (findByIds: SessionStorage['findByIds'], runInTime: RunInTime): FindSession => {
  let queue: readonly Batch[] = []
  let inFlight = 0
  let isSendingSoon = false

  const sendQueue = (): void => {
    const sent = queue.slice(0, maxBatchesInFlight - inFlight)
    queue = queue.slice(sent.length)
    inFlight += sent.length
    for (const { start } of sent) start()
  }

  const sendSoon = (): void => {
    if (isSendingSoon) return
    isSendingSoon = true
    runAfterInput(() => {
      isSendingSoon = false
      sendQueue()
    })
  }

  const openBatch = (): Waiters => {
    const waiters: Waiters = new Map()
    // The batch waits for its turn itself, so that it is sent in the async context of the lookup
    // that opened it: traces show it there.
    const sendInTurn = async (): Promise<void> => {
      await new Promise<void>((start) => {
        queue = [...queue, { waiters, start }]
      })
      try {
        resolveAll(waiters, await findByIds([...waiters.keys()]))
      } catch (reason) {
        rejectAll(waiters, reason)
      }
      inFlight -= 1
      sendQueue()
    }
    runInTime(sendInTurn).catch((timeout: unknown) => {
      queue = queue.filter((batch) => batch.waiters !== waiters)
      rejectAll(waiters, toStorageError(timeout))
    })
    return waiters
  }

  const findOpenBatch = (): Waiters => {
    const last = queue.at(-1)
    return last !== undefined && last.waiters.size < maxIdsInBatch ? last.waiters : openBatch()
  }

  return (id) =>
    new Promise((resolve, reject) => {
      const waiters = findOpenBatch()
      const present = waiters.get(id)
      if (present === undefined) waiters.set(id, [{ resolve, reject }])
      else present.push({ resolve, reject })
      if (waiters.size >= maxIdsInBatch) sendQueue()
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
  /** Sends the batch. */
  readonly start: () => void
}

// An unreadable session fails only its own lookups.
const resolveAll = (waiters: Waiters, sessions: readonly FoundSession[]): void => {
  const found = new Map(sessions.map((session) => [session.id, session]))
  for (const [id, ofSession] of waiters) {
    const session = found.get(id)
    for (const { resolve, reject } of ofSession) {
      if (session !== undefined && 'error' in session) reject(toStorageError(session.error, id))
      else resolve(session)
    }
  }
}

const rejectAll = (waiters: Waiters, reason: unknown): void => {
  for (const { reject } of [...waiters.values()].flat()) reject(reason)
}

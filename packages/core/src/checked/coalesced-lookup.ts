import { AsyncLocalStorage } from 'node:async_hooks'
import { type FoundSession, maxIdsInBatch, type SessionStorage } from '../ports/session-storage.js'
import { afterInput, type RunInTime, TimeoutError } from '../system.js'
import { toStorageError } from './storage-error.js'

const maxBatchesInFlight = 4

/** Lookups that are sent together. */
interface Batch {
  readonly ids: Set<string>
  /** Sends the batch. */
  readonly send: () => void
  /** Resolves to the sessions that were found, by their ids. */
  readonly found: Promise<ReadonlyMap<string, FoundSession>>
}

/**
 * Creates the lookup of sessions in batches. Lookups that start in the same turn of the event loop
 * form one batch. A lookup joins only a batch that has not been sent yet: a batch in flight could
 * return a session as it was before a revocation that has been acknowledged in the meantime. The
 * time that a batch waits to be sent counts towards the deadline.
 *
 * A batch runs in the async context in which the lookup was created. In the context of one of its
 * requests, a storage that chooses a tenant by the context would look for the sessions of the other
 * requests at the wrong tenant.
 */
export const createCoalescedLookup = (findByIds: SessionStorage['findByIds'], runInTime: RunInTime) => {
  const runInOwnContext = AsyncLocalStorage.snapshot()
  let queue: readonly Batch[] = []
  let inFlight = 0

  const sendQueue = (): void => {
    const sent = queue.slice(0, maxBatchesInFlight - inFlight)
    queue = queue.slice(sent.length)
    inFlight += sent.length
    for (const { send } of sent) send()
  }

  const openBatch = (): Batch => {
    const ids = new Set<string>()
    let send = (): void => {}
    const turn = new Promise<void>((resolve) => {
      send = resolve
    })
    const sendInTurn = async (): Promise<ReadonlyMap<string, FoundSession>> => {
      await turn
      try {
        return new Map((await findByIds([...ids])).map((session) => [session.id, session]))
      } finally {
        inFlight -= 1
        sendQueue()
      }
    }
    const found = runInTime(sendInTurn).catch((failure: unknown) => {
      queue = queue.filter((waiting) => waiting !== batch)
      throw failure instanceof TimeoutError ? toStorageError(failure) : failure
    })
    const batch = { ids, send, found }
    queue = [...queue, batch]
    return batch
  }

  return async (id: string): Promise<FoundSession | undefined> => {
    const last = queue.at(-1)
    const { ids, found } = last !== undefined && last.ids.size < maxIdsInBatch ? last : runInOwnContext(openBatch)
    ids.add(id)
    if (ids.size >= maxIdsInBatch) sendQueue()
    else void afterInput().then(sendQueue)
    return (await found).get(id)
  }
}

import type { SessionRecord, SessionStorage } from '../ports/session-storage.js'

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
 * Creates the search for a batch, which fails only the ids it must (docs/decisions/0012).
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

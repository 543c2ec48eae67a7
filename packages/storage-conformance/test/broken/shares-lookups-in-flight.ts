import type { CallOptions, FoundSession, SessionStorage } from '@jwt-auth/core'
import { untilAborted } from '../support/until-aborted.js'

/** Reuses the result of a lookup of the same id that is in flight. Each call heeds its own signal. */
export const sharesLookupsInFlight = (storage: SessionStorage): SessionStorage => {
  const inFlight = new Map<string, Promise<readonly FoundSession[]>>()

  const read = async (id: string): Promise<readonly FoundSession[]> => await storage.findByIds([id])

  const find = async (id: string, { signal }: CallOptions = {}): Promise<readonly FoundSession[]> => {
    signal?.throwIfAborted()
    const lookup = inFlight.get(id) ?? read(id).finally(() => inFlight.delete(id))
    inFlight.set(id, lookup)
    return untilAborted(lookup, signal)
  }

  return {
    ...storage,
    findByIds: async (ids, options) => (await Promise.all(ids.map((id) => find(id, options)))).flat(),
  }
}

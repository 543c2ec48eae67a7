import { setImmediate } from 'node:timers/promises'
import type { CallOptions, FoundSession, SessionStorage } from '@jwt-auth/core'

/** Reuses the result of a lookup of the same id that is in flight. */
export const sharesLookupsInFlight = (storage: SessionStorage): SessionStorage => {
  const inFlight = new Map<string, Promise<readonly FoundSession[]>>()

  const read = async (id: string, options: CallOptions | undefined): Promise<readonly FoundSession[]> => {
    const found = await storage.findByIds([id], options)
    await setImmediate()
    return found
  }

  const find = (id: string, options: CallOptions | undefined): Promise<readonly FoundSession[]> => {
    const lookup = inFlight.get(id) ?? read(id, options).finally(() => inFlight.delete(id))
    inFlight.set(id, lookup)
    return lookup
  }

  return {
    ...storage,
    findByIds: async (ids, options) => (await Promise.all(ids.map((id) => find(id, options)))).flat(),
  }
}

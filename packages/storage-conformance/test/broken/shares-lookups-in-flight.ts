import { setImmediate } from 'node:timers/promises'
import type { CallOptions, SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Reuses the result of a lookup of the same id that is in flight. */
export const sharesLookupsInFlight = (storage: SessionStorage): SessionStorage => {
  const inFlight = new Map<string, Promise<readonly SessionRecord[]>>()

  const read = async (id: string, options: CallOptions | undefined): Promise<readonly SessionRecord[]> => {
    const found = await storage.findByIds([id], options)
    await setImmediate()
    return found
  }

  const find = (id: string, options: CallOptions | undefined): Promise<readonly SessionRecord[]> => {
    const lookup = inFlight.get(id) ?? read(id, options).finally(() => inFlight.delete(id))
    inFlight.set(id, lookup)
    return lookup
  }

  return {
    ...storage,
    findByIds: async (ids, options) => (await Promise.all(ids.map((id) => find(id, options)))).flat(),
  }
}

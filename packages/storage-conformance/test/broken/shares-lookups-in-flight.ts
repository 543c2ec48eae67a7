import { setImmediate } from 'node:timers/promises'
import type { CallOptions, SessionRecord, SessionStorage } from '@jwt-auth/core'

/** Answers the lookup of an id with the lookup of the same id that is in flight. */
export const sharesLookupsInFlight = (storage: SessionStorage): SessionStorage => {
  const inFlight = new Map<string, Promise<readonly SessionRecord[]>>()

  const read = async (id: string, options: CallOptions | undefined): Promise<readonly SessionRecord[]> => {
    const found = await storage.findByIds([id], options)
    await setImmediate()
    return found
  }

  const find = (id: string, options: CallOptions | undefined): Promise<readonly SessionRecord[]> => {
    const answer = inFlight.get(id) ?? read(id, options).finally(() => inFlight.delete(id))
    inFlight.set(id, answer)
    return answer
  }

  return {
    ...storage,
    findByIds: async (ids, options) => (await Promise.all(ids.map((id) => find(id, options)))).flat(),
  }
}

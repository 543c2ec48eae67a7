import { isDeepStrictEqual } from 'node:util'
import type { FoundSession, SessionStorage } from '@jwt-auth/core'

/** Resolves every batch lookup to the stored object itself. */
export const returnsItsOwnObjects = (storage: SessionStorage): SessionStorage => {
  const held = new Map<string, { readonly found: FoundSession; readonly own: FoundSession }>()
  const hold = (found: FoundSession): FoundSession => {
    const known = held.get(found.id)
    if (known !== undefined && isDeepStrictEqual(known.found, found)) return known.own
    const own = structuredClone(found)
    held.set(found.id, { found, own })
    return own
  }
  return { ...storage, findByIds: async (ids, options) => (await storage.findByIds(ids, options)).map(hold) }
}

import type { FoundSession, SessionStorage } from '@jwt-auth/core'
import type { DamageSession } from '@jwt-auth/storage-conformance'

/** Returns a storage, and the function that makes its sessions unreadable. */
export const damageableStorage = (storage: SessionStorage): readonly [SessionStorage, DamageSession] => {
  const damaged = new Set<string>()
  const read = (session: FoundSession): FoundSession =>
    damaged.has(session.id)
      ? { id: session.id, error: new TypeError('the field recentVerifiers holds an unknown value') }
      : session
  const damageable: SessionStorage = {
    ...storage,
    findByIds: async (ids, options) => (await storage.findByIds(ids, options)).map(read),
    findBySelectorHash: async (selectorHash, options) => {
      const found = await storage.findBySelectorHash(selectorHash, options)
      return found && read(found)
    },
    list: async (user, list, options) => (await storage.list(user, list, options)).map(read),
  }
  const damage: DamageSession = (sessionId) => {
    damaged.add(sessionId)
    return () => damaged.delete(sessionId)
  }
  return [damageable, damage]
}

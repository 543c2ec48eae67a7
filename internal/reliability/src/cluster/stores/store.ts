import type { SessionStorage } from '@jwt-auth/core'
import type { Prerequisite } from '@jwt-auth/test-support'
import { openStorage } from '../instance/open-storage.js'

/** A kind of store that instances share. A store of a missing kind cannot be created. */
export interface Store extends Prerequisite {
  readonly name: 'SQLite' | 'PostgreSQL' | 'MariaDB' | 'Redis'
  readonly create: () => Promise<FreshStore>
}

/** A new, empty store. */
export interface FreshStore {
  /** For the setting `storageUrl` of an instance. */
  readonly url: string
  /** The same store without an instance. */
  readonly storage: SessionStorage
  /** Returns the complaints of the store's own integrity check. Returns none when the store has no such check. */
  readonly findDamage: () => Promise<readonly string[]>
  /** Overwrites the recent verifiers of a session with a text that is not valid JSON. */
  readonly damageSession: (sessionId: string, text: string) => Promise<void>
  /** Removes the store. */
  readonly drop: () => Promise<void>
}

/** Opens a new store and creates its tables. Removes the store when that fails. */
export const openFreshStore = async (
  url: string,
  { remove, ...own }: Pick<FreshStore, 'findDamage' | 'damageSession'> & { readonly remove: () => Promise<void> },
): Promise<FreshStore> => {
  try {
    const { storage, close } = await openStorage(url, { poolSize: 2, connectTimeoutMs: 10_000 })
    const drop = async (): Promise<void> => {
      await close()
      await remove()
    }
    return { url, storage, drop, ...own }
  } catch (failure) {
    await remove()
    throw failure
  }
}

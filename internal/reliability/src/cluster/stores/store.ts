import type { SessionStorage } from '@jwt-auth/core'
import type { Prerequisite } from '@jwt-auth/test-support'
import { openStorage } from '../instance/open-storage.js'

/** A kind of store that instances share. A missing one cannot be created. */
export interface Store extends Prerequisite {
  readonly name: 'SQLite' | 'PostgreSQL' | 'MariaDB' | 'Redis'
  readonly create: () => Promise<FreshStore>
}

/** An empty store of a test's own. */
export interface FreshStore {
  /** For `storageUrl` of an instance. */
  readonly url: string
  /** The same store, read past the instances. */
  readonly storage: SessionStorage
  /** What the store's own check of its files complains about; nothing where there is no such check. */
  readonly findDamage: () => Promise<readonly string[]>
  /** Overwrites the recent verifiers of a session with a text that is not valid JSON. */
  readonly damageSession: (sessionId: string, text: string) => Promise<void>
  /** Removes all it holds. */
  readonly drop: () => Promise<void>
}

/** Opens a store that was just made, with its tables; removes it when that fails. */
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

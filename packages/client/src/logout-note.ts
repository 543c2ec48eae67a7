import type { TokenStore } from './token-stores.js'

/** Calls a method of the store with the note. Resolves to whether the store had the note; never rejects. */
export type UseLogoutNote = (method: keyof TokenStore) => Promise<unknown>

/**
 * Creates the function that uses the note of a logout. The cookie survives a logout without a
 * network. After a reload, the client finds the note and completes the logout. If the store fails,
 * only this page can complete it.
 */
export const createLogoutNote =
  (name: string, store: TokenStore | false): UseLogoutNote =>
  async (method) => {
    try {
      return store && (await store[method](name, name)) === name
    } catch {
      return undefined
    }
  }

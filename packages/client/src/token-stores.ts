/**
 * Where a client keeps its session between page loads. The text is opaque: with `transport: 'body'`
 * it contains both tokens and the user. Every method may return a promise. While the store fails,
 * the client works from its memory: without a session, until the first `get` succeeds. The first
 * failure is on the console. The client calls the store again after growing delays, and at its next
 * call. Every method also receives the name of the client, which contains its transport and its
 * `baseUrl`. A client ignores a text of another client.
 *
 * @example
 * ```ts
 * import * as SecureStore from 'expo-secure-store'
 *
 * const tokenStore: TokenStore = {
 *   get: () => SecureStore.getItemAsync('session'),
 *   set: (text) => SecureStore.setItemAsync('session', text),
 *   clear: () => SecureStore.deleteItemAsync('session'),
 * }
 * ```
 */
export interface TokenStore {
  /** Returns the text that was stored last, or `null` or `undefined` if the store is empty. */
  get(name: string): string | null | undefined | Promise<string | null | undefined>
  /** Replaces the stored text. */
  set(text: string, name: string): unknown
  /** Deletes the stored text. Called at each logout. */
  clear(name: string): unknown
}

/**
 * Keeps the session in the memory of the page. A reload ends the session, unless another tab of the
 * same browser has it.
 *
 * @example
 * ```ts
 * const auth = createAuthClient({ baseUrl, tokenStore: memoryTokenStore() })
 * ```
 */
export const memoryTokenStore = (): TokenStore => {
  let stored: string | undefined
  return {
    get: () => stored,
    set: (text) => {
      stored = text
    },
    clear: () => {
      stored = undefined
    },
  }
}

/**
 * Keeps the session in `localStorage`, under one key. The session survives reloads and restarts of
 * the browser. Every script on the origin can read both tokens as long as they are stored, even a
 * script that runs later.
 *
 * @param key the key in `localStorage`, by default the name of the client: `jwt-auth <transport>
 * <baseUrl>`
 * @example
 * ```ts
 * const auth = createAuthClient({ baseUrl, tokenStore: localStorageTokenStore() })
 * ```
 */
export const localStorageTokenStore = (key?: string): TokenStore => {
  // Each call reads the global object, because reading it throws where the browser blocks storage.
  return {
    // A server that renders pages has no `localStorage`.
    get: (name) => (globalThis as { localStorage?: Storage }).localStorage?.getItem(key ?? name),
    set: (text, name) => localStorage.setItem(key ?? name, text),
    clear: (name) => localStorage.removeItem(key ?? name),
  }
}

declare const localStorage: Storage

/** The part of the browser's type `Storage` that the store calls. */
interface Storage {
  readonly getItem: (key: string) => string | null
  readonly setItem: (key: string, text: string) => void
  readonly removeItem: (key: string) => void
}

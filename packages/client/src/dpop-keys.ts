import { algorithm, hash, type SessionKey } from './dpop-proof.js'

/**
 * Replaces the keys of a client by those that `change` returns, in one transaction. `change` is
 * called with the stored keys, or with an empty list, once or again. Rejects if the keys cannot be
 * stored.
 */
export type UpdateKeys = (
  name: string,
  change: (keys: readonly SessionKey[]) => readonly SessionKey[],
) => Promise<unknown>

const timeoutMs = 5_000

/** Keeps the keys in IndexedDB, which all tabs share. */
export const updateIndexedDb: UpdateKeys = async (name, change) => {
  const opening = indexedDB.open('jwt-auth')
  opening.onupgradeneeded = () => opening.result.createObjectStore('keys')
  const database = await settle(opening)
  const transaction = database.transaction('keys', 'readwrite')
  // The connection closes after the transaction.
  database.close()
  const store = transaction.objectStore('keys')
  store.put(change((await settle(store.get(name))) ?? []), name)
  await settle(transaction)
}

/** Waits for the end of a request or a transaction. */
const settle = <T>(one: Idb<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    one.onsuccess = one.oncomplete = () => resolve(one.result)
    one.onerror = one.onabort = reject
    // While a connection prevents the deletion of the database, nobody else can open it.
    setTimeout(reject, timeoutMs)
  })

/** Makes the key of a session. */
export const createKey = async (createdAt: number): Promise<SessionKey> => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign'])
  const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  const jwk = { crv, kty, x, y }
  return { thumbprint: await hash(JSON.stringify(jwk)), jwk, privateKey, createdAt }
}

declare const indexedDB: { readonly open: (name: string) => Idb<IdbDatabase> }

/** The APIs of browsers for which this package has no types: a request or a transaction. */
interface Idb<T> {
  readonly result: T
  onsuccess: () => void
  oncomplete: () => void
  onerror: (event: unknown) => void
  onabort: (event: unknown) => void
  onupgradeneeded: () => void
}

interface IdbDatabase {
  readonly createObjectStore: (name: string) => void
  readonly transaction: (name: string, mode: 'readwrite') => IdbTransaction
  readonly close: () => void
}

interface IdbTransaction extends Idb<unknown> {
  readonly objectStore: (name: string) => {
    readonly get: (key: string) => Idb<readonly SessionKey[] | undefined>
    readonly put: (keys: readonly SessionKey[], key: string) => void
  }
}

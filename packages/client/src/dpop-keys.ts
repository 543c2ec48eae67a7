import { algorithm, hash, type SessionKey } from './dpop-proof.js'

/**
 * Replaces the keys of a client by those that `change` returns, in one transaction, and resolves to them. `change` is a pure function of
 * the stored keys, or of an empty list. Rejects if the keys cannot be stored.
 */
export type UpdateKeys = (
  name: string,
  change: (keys: readonly SessionKey[]) => readonly SessionKey[],
) => Promise<readonly SessionKey[]>

/** Keeps the keys in IndexedDB, which all tabs share. */
export const updateIndexedDb: UpdateKeys = async (name, change) => {
  const opening = indexedDB.open('jwt-auth')
  opening.onupgradeneeded = () => opening.result.createObjectStore('keys')
  const database = await settle(opening)
  const transaction = database.transaction('keys', 'readwrite')
  // The connection closes after the transaction.
  database.close()
  const store = transaction.objectStore('keys')
  const keys = change((await settle(store.get(name))) ?? [])
  store.put(keys, name)
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve(keys)
    transaction.onabort = reject
  })
}

const settle = <T>(request: IdbRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = reject
  })

/** Makes the key of a session. */
export const createKey = async (createdAt: number): Promise<SessionKey> => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign'])
  const { crv, kty, x, y } = await crypto.subtle.exportKey('jwk', publicKey)
  const jwk = { crv, kty, x, y }
  return { thumbprint: await hash(JSON.stringify(jwk)), jwk, privateKey, createdAt }
}

declare const indexedDB: { readonly open: (name: string) => IdbRequest<IdbDatabase> }

/** The APIs of browsers for which this package has no types. */
interface IdbRequest<T> {
  readonly result: T
  onsuccess: () => void
  onerror: (event: unknown) => void
  onupgradeneeded?: () => void
}

interface IdbDatabase {
  readonly createObjectStore: (name: string) => void
  readonly transaction: (name: string, mode: 'readwrite') => IdbTransaction
  readonly close: () => void
}

interface IdbTransaction {
  oncomplete: (event: unknown) => void
  onabort: (event: unknown) => void
  readonly objectStore: (name: string) => {
    readonly get: (key: string) => IdbRequest<readonly SessionKey[] | undefined>
    readonly put: (keys: readonly SessionKey[], key: string) => void
  }
}

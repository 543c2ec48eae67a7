import { AuthClientError, refuse } from './auth-client-error.js'
import { createKey, type UpdateKeys, updateIndexedDb } from './dpop-keys.js'
import { createSendWithProof, type SessionKey } from './dpop-proof.js'
import { type BoundSession, parseJson, type SendRequest, type SentResponse } from './session-state.js'

export type { UpdateKeys } from './dpop-keys.js'
export type { SessionKey } from './dpop-proof.js'

/**
 * Binds the sessions of a client to keys. `dpop()` from `@jwt-auth/client/dpop` creates one for
 * each client.
 */
export interface Dpop {
  /**
   * Returns the thumbprint (RFC 7638, SHA-256) of the key of the current session, as the server
   * stores it. `undefined` without a session, and for a session that is bound to no key.
   */
  readonly getThumbprint: () => string | undefined
  /** Connects the keys to a client. `createAuthClient` calls this method. */
  readonly connect: (
    name: string,
    clock: { readonly now: () => number; readonly monotonicMs: () => number },
    getState: () => { readonly session?: BoundSession | undefined },
  ) => SendRequest
}

/** The options of {@link dpop}. */
export interface DpopOptions {
  /**
   * Whether a login fails with `dpop_unavailable` where the platform cannot keep a key.
   * @default false: the login warns on the console, and the session is bound to no key
   */
  readonly required?: boolean | undefined
  /** Where the keys are kept. @default IndexedDB */
  readonly updateKeys?: UpdateKeys | undefined
}

/**
 * Binds the sessions of a client to keys that no script can copy (DPoP, RFC 9449). Each login makes
 * a key, which all tabs share until the logout. A copied token is useless without the key.
 *
 * @example
 * ```ts
 * const auth = createAuthClient({ baseUrl, dpop: dpop() })
 * ```
 */
export const dpop = (options?: DpopOptions): Dpop => {
  let getThumbprint = (): string | undefined => undefined
  return {
    getThumbprint: () => getThumbprint(),
    connect: (name, clock, getState) => {
      getThumbprint = () => getState().session?.thumbprint
      return createSendRequest(clock, getThumbprint, { ...options, name })
    },
  }
}

// The login of another tab may be in progress. It ends within 30 seconds.
const loginMs = 60_000

type ChangeKeys = Parameters<UpdateKeys>[1]

const createSendRequest = (
  clock: Parameters<Dpop['connect']>[1],
  getThumbprint: Dpop['getThumbprint'],
  { name, required = false, updateKeys = updateIndexedDb, ...unknown }: DpopOptions & { readonly name: string },
): SendRequest => {
  if (required !== !!required) refuse('required: boolean', required)
  if (!updateKeys.call) refuse('updateKeys()', updateKeys)
  for (const name in unknown) refuse('required or updateKeys', name)
  const sendWithProof = createSendWithProof(clock)
  const known = new Map<string | undefined, SessionKey>()

  /**
   * Changes the stored keys, and remembers those from before. Resolves to whether the store works.
   */
  const change = async (update: ChangeKeys = (keys) => keys): Promise<boolean> => {
    try {
      await updateKeys(name, (keys) => {
        for (const key of keys) known.set(key.thumbprint, key)
        return update(keys)
      })
      return true
    } catch {
      return false
    }
  }

  /** Makes the key of a login, and stores the key before the server knows it. */
  const addKey = async (): Promise<SessionKey | undefined> => {
    const key = await createKey(clock.now()).catch(() => undefined)
    if (key && (await change((keys) => [key, ...keys]))) return key
    const failure = new AuthClientError('dpop_unavailable')
    if (required) throw failure
    // biome-ignore lint/suspicious/noConsole: only the developer of a page can act on it
    console.warn(failure)
    return undefined
  }

  return async (input, init, session, route) => {
    const headers = new Headers(init.headers)
    // The application asks for a proof, because the response will have tokens.
    const isAsked = headers.has('DPoP')
    headers.delete('DPoP')
    const { thumbprint, tokenType } = session ?? {}
    const proven = isAsked || tokenType === 'DPoP' ? thumbprint : undefined

    const send = (key: SessionKey | undefined): Promise<Response> => {
      if (!key) return fetch(input, { ...init, headers })
      const accessToken = headers.has('Authorization') ? session?.accessToken : undefined
      if (accessToken && tokenType === 'DPoP') headers.set('Authorization', `DPoP ${accessToken}`)
      return sendWithProof(key, input, { ...init, headers }, accessToken)
    }

    /** Sends a request whose response may have tokens. */
    const exchange = async (key: SessionKey | undefined) => {
      const response = await send(key)
      const { code, token, token_type: tokenType } = parseJson(await response.clone().text()) ?? {}
      // A platform may ignore the signal. A late response changes no keys, and causes no request.
      init.signal?.throwIfAborted?.()
      return Object.assign(response, { code, token, binding: key && { thumbprint: key.thumbprint, tokenType } })
    }

    const logIn = async (): Promise<SentResponse> => {
      const replaced = getThumbprint()
      const key = await addKey()
      const response = await exchange(key)
      const isKept = (one: SessionKey): boolean => {
        if (one.thumbprint === key?.thumbprint) return response.token
        return !response.token || (one.thumbprint !== replaced && one.createdAt > clock.now() - loginMs)
      }
      await change((keys) => keys.filter(isKept))
      if (!response.token) known.delete(key?.thumbprint)
      return response
    }

    const refresh = async (): Promise<SentResponse> => {
      const isStoreWorking = await change()
      // With cookies, the session may be that of a login whose response was lost: then its key is
      // another one, probably the newest.
      const keys = new Set([known.get(thumbprint), ...known.values()])
      if (!thumbprint && known.size) keys.delete(undefined)
      for (const key of keys) {
        const response = await exchange(key)
        // Only a client without the key accepts that the session has ended.
        if (response.code !== 'jwt_auth_invalid_dpop_proof' || (!key && isStoreWorking)) return response
      }
      throw new AuthClientError('dpop_proof_refused')
    }

    if (route === '/token/refresh') return refresh()
    if (route === '/token' || (isAsked && !thumbprint)) return logIn()
    if (proven && !known.has(proven)) await change()
    const key = known.get(proven)
    const deleteKey = async () => {
      if (route === '/token/revoke' && thumbprint !== getThumbprint())
        await change((keys) => keys.filter((one) => one.thumbprint !== thumbprint))
    }
    // Without a cookie, only this page can complete the logout, with the key in its memory.
    if (init.keepalive) deleteKey()
    const response = await (isAsked ? exchange : send)(key)
    if (response.status < 429) await deleteKey()
    return response
  }
}

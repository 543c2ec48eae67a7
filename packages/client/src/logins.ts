import { AuthClientError, isTemporary } from './auth-client-error.js'
import type { Credentials } from './auth-routes.js'
import type { ClientContext } from './client-context.js'
import type { RunLocked } from './lock.js'
import { createRetry } from './retry.js'
import type { AuthUser, Session } from './session-state.js'
import type { TokenStore } from './token-stores.js'
import type { Tokens } from './tokens.js'

/** Creates the changes of the user that this tab starts. The last one wins. */
export const createLogins = (context: ClientContext, tokens: Tokens) => {
  const { shared, routes, name, store, usesCookie, now } = context
  // All responses that set the cookie come one after the other. With tokens in bodies, only
  // refreshes must run one after the other.
  const runCookieLocked: RunLocked = usesCookie ? context.lock : (run) => run()
  let changes = 0
  let isLoaded = false

  /**
   * Calls a method of the store with the note of a logout. Resolves to whether the store had the
   * note. The cookie survives a logout without a network. After a reload, the client finds the note
   * and completes the logout. If the store fails, only this page can complete the logout.
   */
  const useNote = async (method: keyof TokenStore): Promise<unknown> => {
    try {
      return usesCookie && (await store[method](name, name)) === name
    } catch (failure) {
      // biome-ignore lint/suspicious/noConsole: only the developer of a page can act on it
      return console.warn(`${name}: tokenStore`, failure)
    }
  }

  /** Sends the requests of a revocation once. */
  const sendRevocation = async (known: Session | undefined): Promise<void> => {
    // The cookie may belong to a later login, and not to the session that ends.
    const isOwner = usesCookie && !shared.get().session
    const response =
      known &&
      (await routes.revoke(known, isOwner).catch((failure) => {
        if (failure.status !== 401) throw failure
      }))
    if (response) return
    // The access token has expired.
    if (known?.refreshToken || isOwner) await routes.revoke(await routes.refresh(known), isOwner)
  }

  /**
   * Revokes a session: a known one, or that of the cookie. Resolves after the first
   * attempt and never rejects. Further attempts follow in the background until the server has
   * responded. The store has a note until then, or until a login.
   */
  const revoke = async (known?: Session): Promise<void> => {
    if (!shared.get().session) await useNote('set')
    await new Promise<void>((resolve) => {
      createRetry(context)(() => runCookieLocked(() => sendRevocation(known)).finally(resolve))
        .catch(() => {})
        .then(() => shared.get().session || useNote('clear'))
    })
  }

  /** Starts the session that `receive` resolves to. */
  const startSession = (receive: () => Promise<Session>): Promise<AuthUser> => {
    const change = ++changes
    return runCookieLocked(async () => {
      const sentAt = now()
      const session = await receive()
      if (change !== changes) {
        revoke(session)
        throw new AuthClientError('session_changed')
      }
      await shared.start(session, sentAt)
      await useNote('clear')
      return session.user
    })
  }

  /** Finds the session from before the page load. Rejects if the server did not respond. */
  const load = async (): Promise<void> => {
    const { session } = shared.get()
    // A store that failed may accept the session now. Without a session, the store may have that of
    // a login elsewhere.
    const synced = shared.syncStore(!!session, revoke)
    if (!session) await synced
    if (isLoaded || shared.get().login) return
    if (!usesCookie) {
      await shared.ask()
    } else if (await useNote('get')) {
      revoke()
    } else {
      await tokens.refresh().catch((failure) => {
        // The server refuses to say which session the cookie has. The next call asks again.
        if (!isTemporary(failure)) shared.publish()
        if (!shared.get().login) throw failure
      })
    }
    isLoaded = true
    shared.publish()
  }

  return {
    load,
    login: (credentials: Credentials) => startSession(() => routes.login(credentials)),
    loginWithResponse: (response: Response) => startSession(() => routes.readSession(response)),
    logout: async (): Promise<void> => {
      changes++
      if (!usesCookie) await load()
      await shared.syncStore()
      const { session } = shared.get()
      await shared.end()
      await revoke(session)
    },
  }
}

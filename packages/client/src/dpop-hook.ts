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

/**
 * Sends a request as `fetch` does. Requests to the routes of jwt-auth have text as input, and those
 * of the application a `Request`.
 */
export type SendRequest = (input: string | Request, init: RequestInit, session?: BoundSession) => Promise<SentResponse>

/** A response to a request with a proof. */
export type SentResponse = Response & { readonly binding?: Binding | undefined }

/**
 * What the client knows about the key of a session. A session without these members needs no proof.
 */
export interface Binding {
  /** The thumbprint of the key. */
  readonly thumbprint?: string | undefined
  /** `DPoP` if the access token is bound to the key, too. */
  readonly tokenType?: string | undefined
}

/** The part of a session that proofs need. */
export interface BoundSession extends Binding {
  /** The access token. */
  readonly accessToken: string
}

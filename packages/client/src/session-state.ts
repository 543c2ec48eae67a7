/** A user, as the server describes them at each login and refresh. */
export interface AuthUser {
  /** The id of the user: a number or text, as on the server. */
  readonly id: number | string
  /** The e-mail address. */
  readonly email: string
  /** The name for URLs. */
  readonly nicename: string
  /** The name to show. */
  readonly displayName: string
}

/**
 * What the client knows about the key of a session. A session without these members needs no proof.
 */
interface Binding {
  /** The thumbprint of the key. */
  readonly thumbprint?: string | undefined
  /** `DPoP` if the access token is bound to the key, too. */
  readonly tokenType?: string | undefined
}

/** Sends a request as `fetch` does. Requests of the application have no route. */
export type SendRequest = (
  input: string | Request,
  init: RequestInit,
  session?: BoundSession,
  route?: Route,
) => Promise<SentResponse>

/** The routes of jwt-auth that log in, refresh and revoke. */
export type Route = '/token' | '/token/refresh' | '/token/revoke'

/** A response to a request with a proof. */
export type SentResponse = Response & { readonly binding?: Binding | undefined }

/** The part of a session that proofs need. */
export interface BoundSession extends Binding {
  /** The access token. */
  readonly accessToken: string
}

/** The tokens of one login, and its user. */
export interface Session extends Binding {
  readonly accessToken: string
  /** Absent with `transport: 'cookie'`. */
  readonly refreshToken?: string | undefined
  /** How long the access token is valid from its issue, if the server says so. */
  readonly expiresInSeconds?: number | undefined
  readonly user: AuthUser
}

/**
 * The session of a browser at one time, as tabs exchange and store it. Of two states, all tabs
 * choose the same one as the newer. Hence a refresh never undoes a logout, and nothing of an
 * earlier login replaces a later one, in whichever order the states arrive.
 */
export interface SessionState {
  /** Identifies the login. A later login has a higher number. */
  readonly login: number
  /** How many refreshes followed the login, or 1e9 after the end of the session. */
  readonly refreshes: number
  /**
   * When the request for the tokens was sent, in milliseconds since 1970, by the clock of the
   * device.
   */
  readonly sentAt: number
  /** Absent after the end of the session. */
  readonly session?: Session | undefined
}

/** Returns whether a state replaces another one. */
export const isNewer = (state: SessionState, other: SessionState): boolean =>
  (state.login - other.login || state.refreshes - other.refreshes || state.sentAt - other.sentAt) > 0

/**
 * Reads a stored state. Returns `undefined` for an empty store, for the state of another client,
 * and for anything else.
 */
export const parseState = (text: string | null | undefined, name: string): SessionState | undefined => {
  // `JSON.parse` reads `null` as no object, and fails for `undefined`.
  const state = parseJson(text as string)
  if (state?.name === name) return state
  return undefined
}

/** Returns the object of a JSON text; `undefined` if the text is not JSON. */
export const parseJson = (text: string) => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return undefined
  }
}

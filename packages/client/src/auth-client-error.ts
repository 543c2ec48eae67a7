/**
 * The kind of a failure: a code of the server, such as `jwt_auth_failed` or
 * `jwt_auth_rate_limited`, or one of the client:
 *
 * - `network_error`: no response was received, or a redirect. The message says why: the device is
 * offline, the server is unreachable, or the browser blocked the request
 * - `timeout`: no complete response was received in time
 * - `invalid_response`: the response is not one of jwt-auth, for example the page of a proxy
 * - `session_changed`: while the call waited, the user logged out, or another user logged in
 * - `dpop_proof_refused`: the server refused the proofs of this client at a refresh, although the
 * client has the key of the session
 * - `dpop_unavailable`: the platform cannot keep a key. Without the option `required` of `dpop`,
 * only the console shows this error
 */
export type AuthClientErrorCode =
  | 'network_error'
  | 'timeout'
  | 'invalid_response'
  | 'session_changed'
  | 'dpop_proof_refused'
  | 'dpop_unavailable'
  // Any other text, without hiding the codes above from editors.
  | (string & {})

/** What an {@link AuthClientError} has besides its code. */
export interface AuthClientErrorDetails {
  /** The HTTP status of the response. @default no response was received */
  readonly status?: number | undefined
  /** When the server accepts another attempt, in seconds. */
  readonly retryAfterSeconds?: number | undefined
  /** The sentence of the server, or of the client. */
  readonly message?: string | undefined
  /** The error of `fetch`. */
  readonly cause?: unknown
}

/**
 * A call of the client that failed. The error contains no token and no password.
 *
 * @example
 * ```ts
 * try {
 *   await auth.login({ username, password })
 * } catch (error) {
 *   if (error instanceof AuthClientError && error.code === 'jwt_auth_failed')
 *     show('Wrong user name or password.')
 *   else throw error
 * }
 * ```
 */
export class AuthClientError extends Error {
  /** The name of the class, for logs. */
  override readonly name = 'AuthClientError'
  /** The kind of failure. */
  declare readonly code: AuthClientErrorCode
  /** The HTTP status, or `undefined` if no response was received. */
  declare readonly status: number | undefined
  /** When the server accepts another attempt, in seconds. `undefined` if the server did not say. */
  declare readonly retryAfterSeconds: number | undefined

  constructor(code: AuthClientErrorCode, { message = code, ...details }: AuthClientErrorDetails = {}) {
    super(message, details)
    Object.assign(this, details, { code })
  }
}

/** Throws the error of an argument that is wrong on every platform. */
export const refuse = (expected: string, received: unknown): never => {
  throw new TypeError(`jwt-auth: expected ${expected}, not ${received}`)
}

/**
 * Returns whether the same request may succeed later. A response that is not one of jwt-auth, such
 * as the 403 of a firewall, says nothing about the session.
 */
export const isTemporary = (failure: unknown): failure is AuthClientError =>
  failure instanceof AuthClientError && !(/^jwt_auth_/.test(failure.code) && (failure.status ?? 500) < 429)

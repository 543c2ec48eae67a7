import type { Auth } from '../access-token/claims.js'
import type { DpopRequest } from '../dpop/check-proof.js'
import type { Device } from '../session/session-record.js'

/** What the request of a client brings to an operation. */
export interface RequestContext {
  /** The client's address, for events and limits. @default the address is unknown */
  readonly address?: string | undefined
  /** The device of a login or a refresh, which its session stores. @default nothing */
  readonly device?: Device | undefined
  /**
   * What the request has of DPoP. With an access token: only if its scheme is `DPoP`.
   * @default the request has no proof, and an access token is a bearer token
   */
  readonly dpop?: DpopRequest | undefined
  /** Aborts when the client has disconnected, for a password check. @default never */
  readonly signal?: AbortSignal | undefined
}

/**
 * The request of a client. A binding creates one object for each request and passes it to every
 * operation. It may read a member when an operation asks for it.
 */
export interface HttpRequest extends RequestContext {
  /** Every `Authorization` header, as the client sent it. */
  readonly authorization: readonly string[]
  /**
   * The client's address, if it can be trusted. A binding reads it when the request arrives,
   * because the address is lost when the connection closes.
   */
  readonly address: string | undefined
  /** What the request has of DPoP. */
  readonly dpop: DpopRequest
  /** The request of the framework, which the application's rule receives. */
  readonly source: unknown
  /** The method and the path, for messages. */
  readonly route: string
}

/** One call of an operation. */
export interface Call<Request extends RequestContext = RequestContext> {
  readonly request: Request
  /**
   * The user and the session of the presented token, for the event of a rejection. The operation
   * sets it as soon as it knows them.
   */
  presented?: Pick<Auth, 'userId' | 'sessionId'>
}

import type { Device } from '../session/device.js'

/** A request without its framework, as a binding passes it. */
export interface WireRequest {
  /** Every `Authorization` header, as sent. */
  readonly authorization: readonly string[]
  /** The body. */
  readonly body: WireBody
  /**
   * The client's address, as far as it can be trusted; `undefined` when it is unknown. A binding reads the address when the
   * request arrives: once the connection is closed, the address is gone.
   */
  readonly address: string | undefined
  /** Returns what to keep of the device. Called for a login and for a refresh. */
  readonly readDevice: () => Device
  /**
   * Returns a signal that aborts when the connection closes before the response was sent, and that has aborted already when the
   * connection is closed. Only the login calls it.
   */
  readonly watchConnection: () => AbortSignal
}

/** A request's body, read only by the routes that take one. */
export interface WireBody {
  /** The header `Content-Type`. `undefined` if it is missing. */
  readonly contentType: string | undefined
  /** The content coding, where one was named (RFC 9110, section 8.4). */
  readonly contentEncoding: string | undefined
  /** Whether the request announced a body (RFC 9112, section 6.3). */
  readonly isPresent: boolean
  /** The announced length in bytes, where one was. */
  readonly length: number | undefined
  /** What a parser before us made of the body; `undefined` when none did. */
  readonly parsed: unknown
  /** Reads the body; answers `too-large` past the limit. */
  readonly read: (limitBytes: number) => Promise<Uint8Array | 'too-large'>
}

import type { Device } from '../session/device.js'

/** What a binding hands to the wire: a request, free of its framework. */
export interface WireRequest {
  /** Every `Authorization` header, as sent. */
  readonly authorization: readonly string[]
  readonly body: WireBody
  /** The client's address, as far as it can be believed; `undefined` when it can't be told. */
  readonly address: string | undefined
  /** What to keep of the device; asked for by the login alone. */
  readonly readDevice: () => Device
}

/** A request's body, read only by the routes that take one. */
export interface WireBody {
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

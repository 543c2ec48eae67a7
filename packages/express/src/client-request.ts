import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError, type Device, type User } from '@jwt-auth/core'
import {
  type Caller,
  type DpopRequest,
  describeValue,
  type HttpRequest,
  type System,
  setupError,
  usageError,
  type WireBody,
  type WireRequest,
} from '@jwt-auth/core/internal'
import {
  mayHaveBody,
  type ReadAddress,
  readHeader,
  readTarget,
  toDpopRequest,
  type WebRequest,
  watchConnection,
} from './node-http.js'
import { readBodyBytes } from './read-body-bytes.js'

/** The options that reading a request depends on. */
export interface RequestOptions extends Pick<System, 'startTimer'> {
  readonly readAddress: ReadAddress
  /** Returns the value of the `Authorization` header. @default what the client sent */
  readonly readAuthorization?: ((req: IncomingMessage) => string | undefined) | undefined
  /**
   * Returns the device of a request. If it is `undefined`, the `User-Agent` header and the address
   * are stored.
   */
  readonly device: ((req: IncomingMessage) => Device) | undefined
}

/**
 * A request of a client: what the operations of the service read of Node's request, and what the
 * last guard found about it.
 */
export class ClientRequest implements WireRequest {
  readonly source: IncomingMessage
  /** The client's address on arrival. A socket loses its address when it closes. */
  readonly address: string | undefined
  /** `undefined` until a guard has authenticated the request. */
  caller: Caller | undefined
  /** The user of the last `checkCredentials`. */
  checkedUser: User | undefined
  /** The thumbprint of the proof that an operation has used up. */
  thumbprint: Promise<string | undefined> | undefined
  readonly #res: ServerResponse | undefined
  readonly #options: RequestOptions

  constructor(source: IncomingMessage, res: ServerResponse | undefined, options: RequestOptions) {
    this.source = source
    this.address = options.readAddress(source)
    this.#res = res
    this.#options = options
  }

  /**
   * Node's `headers` keeps only the first header; the raw headers show how many the client sent. A
   * header that the application's middleware sets counts as one header.
   */
  get authorization(): readonly string[] {
    const { readAuthorization } = this.#options
    if (readAuthorization !== undefined) return callReader(readAuthorization, this.source)
    const { authorization } = this.source.headers
    if (authorization === undefined) return []
    // Names and values alternate. The requests of a test may have no raw headers.
    const { rawHeaders = [] } = this.source
    let count = 0
    for (let position = 0; position < rawHeaders.length; position += 2) {
      if (rawHeaders[position]?.toLowerCase() === 'authorization') count += 1
    }
    return count < 2 ? [authorization] : new Array(count).fill(authorization)
  }

  get dpop(): DpopRequest {
    return toDpopRequest(this.source, this.#res)
  }

  get device(): Device {
    const { device } = this.#options
    if (device !== undefined) return device(this.source)
    return { userAgent: this.source.headers['user-agent'], ipAddress: this.address }
  }

  /** After the response was sent, a closed connection says nothing about the client. */
  get signal(): AbortSignal | undefined {
    return this.#res === undefined || this.#res.writableEnded ? undefined : watchConnection(this.source, this.#res)
  }

  get body(): WireBody {
    const req = this.source
    const { 'content-length': announced, 'transfer-encoding': encoding } = req.headers
    const length = announced === undefined ? undefined : Number(announced)
    return {
      contentType: req.headers['content-type'],
      contentEncoding: req.headers['content-encoding'],
      isPresent: encoding !== undefined || (length === undefined ? mayHaveBody(req) : length > 0),
      length,
      // The parsers of Express 4 set `{}` for bodies that they did not read. A body was parsed only
      // if its stream has ended.
      parsed: req.readableEnded && 'body' in req ? req.body : undefined,
      read: (limitBytes) => readBodyBytes(req, limitBytes, { startTimer: this.#options.startTimer, res: this.#res }),
    }
  }

  get route(): string {
    return readRoute(this.source)
  }

  readHeader(name: string): string | undefined {
    return readHeader(this.source, name)
  }

  /** Keeps a response with tokens out of caches (RFC 6749, section 5.1). */
  preventCaching(): void {
    if (this.#res?.headersSent === false) this.#res.setHeader('Cache-Control', 'no-store')
  }

  /** Returns the response. Throws if the application passed none. */
  requireResponse(): ServerResponse {
    if (this.#res === undefined) throw setupError(withoutResponse)
    return this.#res
  }

  /** Adds headers to the response, without sending it. */
  appendHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) this.requireResponse().appendHeader(name, value)
  }
}

const withoutResponse =
  'a request asks for its refresh token in a cookie, but has no response `req.res`, which Express sets. Elsewhere set `req.res = res` before the first call with the request.'

const callReader = (readAuthorization: (req: IncomingMessage) => unknown, source: IncomingMessage): string[] => {
  try {
    const value = readAuthorization(source)
    if (value === undefined || value === null) return []
    if (typeof value === 'string') return [value]
    throw usageError(
      'readAuthorization',
      `option \`readAuthorization\` must return text or undefined; received ${describeValue(value, true)}.`,
    )
  } catch (cause) {
    throw new AuthError('jwt_auth_internal_error', { cause, detail: 'the option `readAuthorization` failed' })
  }
}

/** Converts a request of the Fetch API, which has no address. */
export const fromWebRequest = (source: WebRequest): HttpRequest => ({
  source,
  address: undefined,
  // `Headers` joins several headers with commas, which no token contains.
  authorization: [source.headers.get('authorization') ?? []].flat(),
  get dpop() {
    return toDpopRequest(source)
  },
  get route() {
    const { method = '', url = '' } = source
    return URL.canParse(url) ? `${method} ${new URL(url).pathname}` : 'a request'
  },
})

/**
 * Returns the method and the path of a request, for messages. The query may contain secrets.
 */
export const readRoute = (req: IncomingMessage): string => `${req.method} ${readTarget(req).split(/[?#]/, 1)[0] ?? ''}`

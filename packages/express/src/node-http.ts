import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type DpopRequest, getMember, setupError, toPath, usageError, type WireResponse } from '@jwt-auth/core/internal'

/**
 * Checks that a framework passed Node's response.
 *
 * @throws TypeError that names the call for Fastify and Koa
 */
export const requireNodeResponse = (res: ServerResponse): void => {
  if (typeof res?.setHeader === 'function') return
  throw usageError(
    'jwtAuth',
    "jwtAuth did not receive Node's request and response. In Express write `app.use(auth)`, not `app.use(auth())`. In Fastify call middleware and guards in a hook, as `auth(request.raw, reply.raw, done)`; in Koa, as `auth(ctx.req, ctx.res, next)`. Pass the response first to `auth.sendTokens(res, tokens)` and `auth.sendError(res, error)`.",
  )
}

/**
 * Checks that `verifyRequest` received a request with all of its headers.
 *
 * @throws TypeError that names the call for Fastify and Koa
 */
export const requireRequest = (req: Partial<IncomingMessage | WebRequest> | undefined): void => {
  if (isWebRequest(req)) return
  const isOfFramework = getMember(req, 'raw') !== undefined || getMember(req, 'req') !== undefined
  if (req?.headers !== undefined && ('rawHeaders' in req || !isOfFramework)) return
  throw usageError(
    'verifyRequest',
    "verifyRequest received neither a Request nor Node's request. In Fastify pass `request.raw`, in Koa `ctx.req`.",
  )
}

/**
 * Sends a response, unless the client has disconnected or a response was sent before. Bypasses the
 * framework, which would add an `ETag`.
 */
export const send = (res: ServerResponse, { status, headers, body }: WireResponse): void => {
  requireNodeResponse(res)
  if (res.headersSent || res.writableEnded || res.destroyed) return
  res.statusCode = status
  // The application may have set other cookies.
  for (const [name, value] of Object.entries(headers)) {
    if (name === 'Set-Cookie') res.appendHeader(name, value)
    else res.setHeader(name, value)
  }
  // RFC 9110, section 8.6: a 204 has no `Content-Length`.
  if (status !== 204) res.setHeader('Content-Length', Buffer.byteLength(body))
  res.end(body)
}

/** Returns a signal that aborts if the client disconnects before the response was sent. */
export const watchConnection = ({ socket }: IncomingMessage, res: ServerResponse): AbortSignal => {
  // A TCP connection that the client has reset keeps its local address. It has no remote address
  // before Node notices the reset.
  const wasReset = socket.localAddress !== undefined && socket.remoteAddress === undefined
  if (res.destroyed || socket.destroyed === true || wasReset) return AbortSignal.abort()
  const controller = new AbortController()
  const pending = pendingOn(socket)
  const end = (): void => {
    pending.delete(end)
    if (!res.writableEnded) controller.abort()
  }
  pending.add(end)
  res.once('close', end)
  return controller.signal
}

const pendingResponses = new WeakMap<Socket, Set<() => void>>()

// The response to a pipelined request has no socket before its turn, and never closes if the
// connection closed before. Each socket has one listener, because a client may pipeline any number
// of requests.
const pendingOn = (socket: Socket): Set<() => void> => {
  const pending = pendingResponses.get(socket) ?? new Set()
  if (pendingResponses.has(socket)) return pending
  pendingResponses.set(socket, pending)
  // Adapters of serverless platforms pass an object that is not a socket.
  if (typeof socket.once === 'function') socket.once('close', () => [...pending].forEach((end) => void end()))
  return pending
}

/** Returns the address of a request's client. `undefined` if it is unknown. */
export type ReadAddress = (req: IncomingMessage) => string | undefined

/** Returns `req.ip`, which Express determines by `trust proxy`, or the address of the socket. */
export const readAddress: ReadAddress = (req) =>
  'ip' in req && typeof req.ip === 'string' ? req.ip : req.socket?.remoteAddress

/**
 * Returns the target of the whole request. Frameworks keep it in `originalUrl` when they remove a
 * mount path.
 */
export const readTarget = (req: IncomingMessage): string =>
  'originalUrl' in req && typeof req.originalUrl === 'string' ? req.originalUrl : (req.url ?? '')

/**
 * Returns the value of a header, or `undefined` if there is none. In HTTP/2, `:authority` replaces
 * `Host` (RFC 9113, section 8.3.1).
 */
export const readHeader = ({ headers }: IncomingMessage, name: string): string | undefined =>
  (name === 'host' ? (headers[':authority'] ?? headers.host) : headers[name])?.toString()

/**
 * A request of the Fetch API: a `Request`, or an object with its headers, such as `{ headers: await
 * headers() }` in Next.js.
 */
export interface WebRequest {
  /** The headers of the request. */
  readonly headers: Pick<Headers, 'get'>
  /** The method, for messages and DPoP proofs. */
  readonly method?: string
  /** The whole URL, for messages and DPoP proofs. */
  readonly url?: string
}

/**
 * Returns whether a value is a request of the Fetch API. A client cannot make Node's request look
 * like one, because the headers of Node's request are strings and lists.
 */
export const isWebRequest = (req: Partial<IncomingMessage | WebRequest> | undefined): req is WebRequest =>
  typeof req?.headers?.get === 'function'

/**
 * Returns what a request has of DPoP, with the path that it had before a framework removed a mount
 * path. Several headers are joined with commas, which no proof contains. Reading the proof of a
 * request of the Fetch API without its URL throws an `AuthError` `jwt_auth_internal_error`.
 */
export const toDpopRequest = (req: IncomingMessage | WebRequest, res?: ServerResponse): DpopRequest => {
  const request: DpopRequest = Reflect.get(req, dpopKey) ?? createDpopRequest(req, res)
  Reflect.set(req, dpopKey, request)
  return request
}

// Several guards may check the proof of one request. A property and no WeakMap, as in
// guarded-requests.ts. Nothing is kept for a frozen request.
const dpopKey = Symbol('jwt-auth.dpop')

const createDpopRequest = (req: IncomingMessage | WebRequest, res: ServerResponse | undefined): DpopRequest => {
  if (isWebRequest(req)) {
    const { method = '', url = '', headers } = req
    const isWhole = method !== '' && URL.canParse(url)
    return {
      // Anybody can send the scheme DPoP. The proof is read only for a bound token.
      get proof() {
        if (isWhole) return headers.get('dpop') ?? undefined
        throw setupError('a DPoP proof names the method and the URL of its request; pass the whole Request.')
      },
      method,
      path: isWhole ? new URL(url).pathname : '',
    }
  }
  const sendNonce = res && ((nonce: string) => void res.setHeader('DPoP-Nonce', nonce))
  return { proof: readHeader(req, 'dpop'), method: req.method ?? '', path: toPath(readTarget(req)), sendNonce }
}

/**
 * Returns whether a request without the headers of a body may have one. In HTTP/2, the end of the
 * stream ends a body (RFC 9113, section 8.1). Clients also end a request without a body by an empty
 * frame after its headers.
 */
export const mayHaveBody = (req: IncomingMessage): boolean =>
  'stream' in req && getMember(req.stream, 'endAfterHeaders') === false && req.headers['content-type'] !== undefined

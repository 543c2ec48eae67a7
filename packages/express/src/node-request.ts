import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Device } from '@jwt-auth/core'
import type { WireBody, WireRequest } from '@jwt-auth/core/wire'
import { type ReadingTime, readBodyBytes } from './read-body-bytes.js'

/** How a request is read. */
export interface RequestOptions extends Omit<ReadingTime, 'onOverdue'> {
  /** `undefined` keeps the `User-Agent` header and the address. */
  readonly device: ((req: IncomingMessage) => Device) | undefined
}

/** Turns Node's request into a wire request, whichever framework is in between. */
export const toWireRequest = (req: IncomingMessage, res: ServerResponse, options: RequestOptions): WireRequest => {
  const address = readAddress(req)
  const onOverdue = (): void => {
    res.shouldKeepAlive = false
  }
  return {
    authorization: readAuthorization(req),
    address,
    body: toWireBody(req, { ...options, onOverdue }),
    readDevice: () =>
      options.device === undefined ? { userAgent: req.headers['user-agent'], ipAddress: address } : options.device(req),
    watchConnection: () => watchConnection(req, res),
  }
}

/** Returns a signal that aborts when the client disconnects before the response was sent. */
export const watchConnection = ({ socket }: IncomingMessage, res: ServerResponse): AbortSignal => {
  if (res.destroyed || socket.destroyed === true) return AbortSignal.abort()
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

// The response to a pipelined request has no socket before its turn, and then never closes if the connection did. One listener for
// each socket: any number of requests may be pipelined.
const pendingOn = (socket: Socket): Set<() => void> => {
  const known = pendingResponses.get(socket)
  if (known !== undefined) return known
  const pending = new Set<() => void>()
  pendingResponses.set(socket, pending)
  // Adapters of serverless platforms pass an object that is no socket and closes nothing.
  if (typeof socket.once === 'function') socket.once('close', () => [...pending].forEach((end) => void end()))
  return pending
}

/**
 * Every `Authorization` header of a request. Node's `headers` keeps only the first of several; the raw list says how many
 * there were. What the host's own middleware put into `headers` counts as the one header.
 */
export const readAuthorization = (req: IncomingMessage): readonly string[] => {
  const { authorization } = req.headers
  if (authorization === undefined) return []
  const count = countAuthorization(req.rawHeaders)
  return count < 2 ? [authorization] : new Array(count).fill(authorization)
}

// Names and values alternate.
const countAuthorization = (rawHeaders: readonly string[]): number => {
  let count = 0
  for (let position = 0; position < rawHeaders.length; position += 2) {
    if (rawHeaders[position]?.toLowerCase() === 'authorization') count += 1
  }
  return count
}

/** Returns the client's address: Express resolves `ip` through its `trust proxy`; elsewhere only the socket can be believed. */
export const readAddress = (req: IncomingMessage): string | undefined =>
  'ip' in req && typeof req.ip === 'string' ? req.ip : req.socket.remoteAddress

const toWireBody = (req: IncomingMessage, time: ReadingTime): WireBody => {
  const length = readLength(req)
  return {
    contentType: req.headers['content-type'],
    contentEncoding: req.headers['content-encoding'],
    isPresent: req.headers['transfer-encoding'] !== undefined || (length !== undefined && length > 0),
    length,
    parsed: readParsed(req),
    read: (limitBytes) => readBodyBytes(req, limitBytes, time),
  }
}

const readLength = (req: IncomingMessage): number | undefined => {
  const header = req.headers['content-length']
  return header === undefined ? undefined : Number(header)
}

// Express 4's parsers leave `{}` behind for bodies they did not read; only a stream that has ended was parsed.
const readParsed = (req: IncomingMessage): unknown => (req.readableEnded && 'body' in req ? req.body : undefined)

import type { IncomingMessage } from 'node:http'
import { AuthError, type Device } from '@jwt-auth/core'
import type { WireBody, WireRequest } from '@jwt-auth/core/wire'
import getRawBody from 'raw-body'

/** Turns Node's request into the wire's, whichever framework stands in between. */
export const toWireRequest = (req: IncomingMessage, device: (req: IncomingMessage) => Device): WireRequest => ({
  authorization: readAuthorization(req),
  address: readAddress(req),
  body: toWireBody(req),
  readDevice: () => device(req),
})

/**
 * Every `Authorization` header of a request. Node's `headers` keeps only the first of several; the raw list says how many
 * there were. What the host's own middleware put into `headers` counts as the one header.
 */
export const readAuthorization = (req: IncomingMessage): readonly string[] => {
  const raw = req.rawHeaders.filter((name, position) => position % 2 === 0 && name.toLowerCase() === 'authorization')
  const { authorization } = req.headers
  return authorization === undefined ? [] : new Array(Math.max(1, raw.length)).fill(authorization)
}

/** What is kept of a device unless the host says otherwise. */
export const readDevice = (req: IncomingMessage): Device => ({
  userAgent: req.headers['user-agent'],
  ipAddress: readAddress(req),
})

// Express resolves `ip` through its `trust proxy`; elsewhere the peer is all that can be believed.
const readAddress = (req: IncomingMessage): string | undefined =>
  'ip' in req && typeof req.ip === 'string' ? req.ip : req.socket.remoteAddress

const toWireBody = (req: IncomingMessage): WireBody => {
  const length = readLength(req)
  return {
    contentType: req.headers['content-type'],
    contentEncoding: req.headers['content-encoding'],
    isPresent: req.headers['transfer-encoding'] !== undefined || (length !== undefined && length > 0),
    length,
    parsed: readParsed(req),
    read: (limitBytes) => readBytes(req, limitBytes),
  }
}

const readLength = (req: IncomingMessage): number | undefined => {
  const header = req.headers['content-length']
  return header === undefined ? undefined : Number(header)
}

// Express 4's parsers leave `{}` behind for bodies they did not read; only a stream that has ended was parsed.
const readParsed = (req: IncomingMessage): unknown => (req.readableEnded && 'body' in req ? req.body : undefined)

const readBytes = async (req: IncomingMessage, limitBytes: number): Promise<Uint8Array | 'too-large'> => {
  if (req.readableEnded) {
    throw new Error('jwt-auth: the request body was read before, and no req.body is left; mount jwtAuth(…) earlier.')
  }
  try {
    return await getRawBody(req, { limit: limitBytes, length: req.headers['content-length'] ?? null })
  } catch (error) {
    if (isTooLarge(error)) return 'too-large'
    throw isFaultOfClient(error) ? new AuthError('jwt_auth_invalid_request', { cause: error }) : error
  }
}

const isTooLarge = (error: unknown): boolean => typeOf(error) === 'entity.too.large'

// The client went away, or sent another length than it announced: mostly nobody is left to hear of it.
const isFaultOfClient = (error: unknown): boolean =>
  typeOf(error) === 'request.aborted' || typeOf(error) === 'request.size.invalid'

const typeOf = (error: unknown): unknown => (error instanceof Error && 'type' in error ? error.type : undefined)

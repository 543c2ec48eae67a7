import type { IncomingMessage } from 'node:http'
import { AuthError, type System } from '@jwt-auth/core'
import getRawBody from 'raw-body'

/** How long a body may take to arrive. */
export interface ReadingTime {
  readonly bodyTimeoutMs: number
  readonly startTimer: System['startTimer']
  /**
   * Called when a body has timed out. The connection must close then, because the rest of the body
   * may still arrive.
   */
  readonly onTimeout: () => void
}

/**
 * Reads the body of a request. Resolves to `too-large` beyond the limit. A client that sends a byte
 * every few seconds could otherwise keep a connection for as long as Node's `requestTimeout`
 * allows: five minutes.
 *
 * @throws an {@link AuthError} `jwt_auth_invalid_request` when the client disconnects, sends more
 *   or fewer bytes than it announced, or takes too long
 */
export const readBodyBytes = async (
  req: IncomingMessage,
  limitBytes: number,
  time: ReadingTime,
): Promise<Uint8Array | 'too-large'> => {
  if (req.readableEnded) {
    throw new Error('jwt-auth: the request body was read before, and no req.body is left; mount jwtAuth(…) earlier.')
  }
  try {
    return await inTime(getRawBody(req, { limit: limitBytes, length: req.headers['content-length'] ?? null }), time)
  } catch (error) {
    if (isTooLarge(error)) return 'too-large'
    throw isFaultOfClient(error, req) ? new AuthError('jwt_auth_invalid_request', { cause: error }) : error
  }
}

const inTime = <T>(reading: Promise<T>, { bodyTimeoutMs, startTimer, onTimeout }: ReadingTime): Promise<T> =>
  new Promise((resolve, reject) => {
    const stopTimer = startTimer(bodyTimeoutMs, () => {
      onTimeout()
      reject(new AuthError('jwt_auth_invalid_request', { detail: `no complete body within ${bodyTimeoutMs} ms` }))
    })
    reading.then(resolve, reject).finally(stopTimer)
  })

const isTooLarge = (error: unknown): boolean => readType(error) === 'entity.too.large'

const isFaultOfClient = (error: unknown, { destroyed }: IncomingMessage): boolean =>
  readType(error) === 'request.aborted' ||
  readType(error) === 'request.size.invalid' ||
  (readType(error) === 'stream.not.readable' && destroyed)

const readType = (error: unknown): unknown => (error instanceof Error && 'type' in error ? error.type : undefined)

import type { IncomingMessage } from 'node:http'
import { AuthError, type System } from '@jwt-auth/core'
import getRawBody from 'raw-body'

/** How long a body may take. */
export interface ReadingTime {
  readonly bodyTimeoutMs: number
  readonly startTimer: System['startTimer']
  /** Called when a body is given up: its connection must not stay open for the rest of it. */
  readonly onOverdue: () => void
}

/**
 * Reads a request's body to its end; `too-large` beyond the limit. Throws `jwt_auth_invalid_request` when the client goes
 * away, sends another length than it announced, or takes too long: a byte every few seconds would otherwise hold a
 * connection for as long as Node's `requestTimeout` lets it, five minutes.
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

const inTime = <T>(reading: Promise<T>, { bodyTimeoutMs, startTimer, onOverdue }: ReadingTime): Promise<T> =>
  new Promise((resolve, reject) => {
    const stopTimer = startTimer(bodyTimeoutMs, () => {
      onOverdue()
      reject(new AuthError('jwt_auth_invalid_request', { detail: `no whole body within ${bodyTimeoutMs} ms` }))
    })
    reading.then(resolve, reject).finally(stopTimer)
  })

const isTooLarge = (error: unknown): boolean => typeOf(error) === 'entity.too.large'

// The client went away, perhaps before its body was asked for, or sent another length than it announced: mostly nobody is left to hear
// of it.
const isFaultOfClient = (error: unknown, { destroyed }: IncomingMessage): boolean =>
  typeOf(error) === 'request.aborted' ||
  typeOf(error) === 'request.size.invalid' ||
  (typeOf(error) === 'stream.not.readable' && destroyed)

const typeOf = (error: unknown): unknown => (error instanceof Error && 'type' in error ? error.type : undefined)

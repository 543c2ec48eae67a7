import type { IncomingMessage } from 'node:http'
import { AuthError, type System } from '@jwt-auth/core'

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
  return inTime(receiveBody(req, limitBytes), time)
}

const inTime = <T>(reading: Promise<T>, { bodyTimeoutMs, startTimer, onTimeout }: ReadingTime): Promise<T> =>
  new Promise((resolve, reject) => {
    const stopTimer = startTimer(bodyTimeoutMs, () => {
      onTimeout()
      reject(faultOfClient(`no complete body within ${bodyTimeoutMs} ms`))
    })
    reading.then(resolve, reject).finally(stopTimer)
  })

const receiveBody = async (req: IncomingMessage, limitBytes: number): Promise<Uint8Array | 'too-large'> => {
  const announced = req.headers['content-length']
  if (Number(announced) > limitBytes) return 'too-large'
  if (req.readableEncoding !== null) {
    throw new Error('jwt-auth: the request body was switched to text; call req.setEncoding after jwtAuth(…).')
  }
  if (!req.readable) throw req.destroyed ? disconnected() : new Error('jwt-auth: the request body is not readable.')
  const bytes = await readUpTo(req, limitBytes)
  if (bytes === 'too-large' || announced === undefined || bytes.length === Number(announced)) return bytes
  throw faultOfClient(`the body has ${bytes.length} bytes, and its header announced ${announced}`)
}

// Leaves the connection open, for the response.
const readUpTo = (req: IncomingMessage, limitBytes: number): Promise<Uint8Array | 'too-large'> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const stop = (): void => {
      for (const [event, listener] of Object.entries(listeners)) req.removeListener(event, listener)
    }
    const listeners = {
      data: (chunk: Uint8Array) => {
        length += chunk.length
        chunks.push(chunk)
        if (length <= limitBytes) return
        stop()
        req.unpipe().pause()
        resolve('too-large')
      },
      end: () => {
        stop()
        resolve(Buffer.concat(chunks))
      },
      error: (error: unknown) => {
        stop()
        reject(error)
      },
      // Node emits this event before the error of the connection.
      aborted: () => {
        stop()
        reject(disconnected())
      },
    }
    for (const [event, listener] of Object.entries(listeners)) req.on(event, listener)
  })

const faultOfClient = (detail: string): AuthError => new AuthError('jwt_auth_invalid_request', { detail })
const disconnected = (): AuthError => faultOfClient('the client disconnected')

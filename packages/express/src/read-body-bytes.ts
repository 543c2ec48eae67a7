import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError } from '@jwt-auth/core'
import type { System } from '@jwt-auth/core/internal'

const timeoutMs = 10_000

/**
 * Reads the body of a request. A client that sends a byte every few seconds could otherwise keep a
 * connection for as long as Node's `requestTimeout` allows: five minutes.
 *
 * @throws an {@link AuthError} `jwt_auth_payload_too_large` beyond the limit;
 *   `jwt_auth_invalid_request` when the client disconnects, sends more or fewer bytes than it
 *   announced, or takes too long
 */
export const readBodyBytes = async (
  req: IncomingMessage,
  limitBytes: number,
  { startTimer, res }: { readonly startTimer: System['startTimer']; readonly res: ServerResponse | undefined },
): Promise<Uint8Array> => {
  const announced = req.headers['content-length']
  if (req.readableEnded) {
    throw new Error('jwt-auth: the request body was read before, and no req.body is left; mount jwtAuth(…) earlier.')
  }
  if (Number(announced) > limitBytes) throw new AuthError('jwt_auth_payload_too_large')
  if (req.readableEncoding !== null) {
    throw new Error('jwt-auth: the request body was switched to text; call req.setEncoding after jwtAuth(…).')
  }
  if (!req.readable) throw req.destroyed ? disconnected() : new Error('jwt-auth: the request body is not readable.')
  const bytes = await new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const settle = (error?: unknown): void => {
      stopTimer()
      for (const [event, listener] of Object.entries(listeners)) req.removeListener(event, listener)
      if (error === undefined) resolve(Buffer.concat(chunks))
      else reject(error)
    }
    const stopTimer = startTimer(timeoutMs, () => {
      // The connection must close, because the rest of the body may still arrive.
      if (res !== undefined) res.shouldKeepAlive = false
      settle(faultOfClient(`no complete body within ${timeoutMs} ms`))
    })
    const listeners = {
      data: (chunk: Uint8Array) => {
        length += chunk.length
        chunks.push(chunk)
        if (length <= limitBytes) return
        settle(new AuthError('jwt_auth_payload_too_large'))
        // Leaves the connection open, for the response.
        req.unpipe().pause()
      },
      end: settle,
      // An error may be any value, also none.
      error: (error: unknown) => settle(error ?? disconnected()),
      // Node emits this event before the error of the connection.
      aborted: () => settle(disconnected()),
    }
    for (const [event, listener] of Object.entries(listeners)) req.on(event, listener)
  })
  if (announced === undefined || bytes.length === Number(announced)) return bytes
  throw faultOfClient(`the body has ${bytes.length} bytes, and its header announced ${announced}`)
}

const faultOfClient = (detail: string): AuthError => new AuthError('jwt_auth_invalid_request', { detail })
const disconnected = (): AuthError => faultOfClient('the client disconnected')

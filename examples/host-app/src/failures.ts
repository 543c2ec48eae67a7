import { isAuthError, type JwtAuth } from '@jwt-auth/express'
import type { ErrorRequestHandler } from 'express'

/** The error of a route of this application. Its response has the shape of jwt-auth's errors. */
export class HostError extends Error {
  override readonly name = 'HostError'

  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}

/** Creates the error handler. */
export const handleError =
  (auth: JwtAuth): ErrorRequestHandler =>
  (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error)
    const known = toHostError(error)
    if (known === undefined) return auth.sendError(res, error)
    const { status, code, message } = known
    res.status(status).json({ code, message, data: { status } })
  }

// The parsers and the router of Express throw errors with a status. Their messages may repeat parts of the request.
const toHostError = (error: unknown): HostError | undefined => {
  if (error instanceof HostError) return error
  const status = error instanceof Error && !isAuthError(error) && 'status' in error ? Number(error.status) : 500
  if (status < 400 || status >= 500) return undefined
  return new HostError(status, 'host_app_bad_request', 'The request could not be read.')
}

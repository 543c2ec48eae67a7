import { isAuthError, type JwtAuth } from '@jwt-auth/express'
import type { ErrorRequestHandler, RequestHandler } from 'express'

/** The error of a route of this application. Responses have the shape of jwt-auth's errors. */
export class HostError extends Error {
  override readonly name = 'HostError'
  /** The status of the response. */
  readonly status: number
  /** The `code` of the response, such as `host_app_no_route`. */
  readonly code: string

  constructor(status: number, code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.status = status
    this.code = code
  }
}

/** Throws a 404 for a request that no route handled. */
export const noRoute: RequestHandler = () => {
  throw new HostError(404, 'host_app_no_route', 'No route was found matching the URL.')
}

/** Creates the error handler. It responds to errors of the routes in the shape of jwt-auth's errors. */
export const handleError =
  (auth: JwtAuth): ErrorRequestHandler =>
  (error: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(error)
      return
    }
    const known = toHostError(error)
    if (known === undefined) auth.sendError(res, error)
    else res.status(known.status).json(toBody(known))
  }

// The parsers and the router of Express throw errors with a status. Their messages may repeat parts of the request.
const toHostError = (error: unknown): HostError | undefined => {
  if (error instanceof HostError) return error
  if (isAuthError(error)) return undefined
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  return status >= 400 && status < 500
    ? new HostError(status, 'host_app_bad_request', 'The request could not be read.')
    : undefined
}

const toBody = ({ code, message, status }: HostError): object => ({ code, message, data: { status } })

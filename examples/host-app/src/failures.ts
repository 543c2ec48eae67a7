import type { JwtAuth } from '@jwt-auth/express'
import type { ErrorRequestHandler, RequestHandler } from 'express'
import { HostError } from './host-error.js'

/** Everything that no route took. */
export const noRoute: RequestHandler = () => {
  throw new HostError(404, 'host_app_no_route', 'No route was found matching the URL.')
}

/** Answers what routes throw, in the shape of the SDK's error object. */
export const answerFailure =
  (auth: JwtAuth): ErrorRequestHandler =>
  (error: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(error)
      return
    }
    const refusal = toRefusal(error)
    if (refusal === undefined) auth.sendError(res, error)
    else res.status(refusal.status).json(toBody(refusal))
  }

// Express's own parsers and router throw errors with a status; what they say of the request is not repeated.
const toRefusal = (error: unknown): HostError | undefined => {
  if (error instanceof HostError) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  return status >= 400 && status < 500
    ? new HostError(status, 'host_app_bad_request', 'The request could not be read.')
    : undefined
}

const toBody = ({ code, message, status }: HostError): object => ({ code, message, data: { status } })

import type { AuthError } from '../errors/auth-error.js'
import { type ErrorResponseOptions, toErrorHeaders, toRetryAfter } from '../errors/error-headers.js'
import { errorTable } from '../errors/error-table.js'
import { toJsonResponse, type WireResponse } from './response.js'

/** Returns the response for an error. It contains nothing of the request, the cause or the detail. */
export const toErrorResponse = (error: AuthError, { realm, randomByte }: ErrorResponseOptions): WireResponse => {
  const { status } = errorTable[error.code]
  const retryAfter = toRetryAfter(error, randomByte)
  const data = {
    status,
    ...(error.params !== undefined && { params: error.params }),
    ...(status === 429 && { retry_after: retryAfter }),
    ...(error.maxAuthAgeSeconds !== undefined && { max_age: error.maxAuthAgeSeconds }),
  }
  const body = { code: error.code, message: error.message, data }
  return toJsonResponse(status, body, toErrorHeaders(error, { realm, retryAfter }))
}

/** Gives an error the headers of its response, for the error handler of a framework. Changes nothing in a frozen error. */
export const setErrorHeaders = (error: AuthError, { realm, randomByte }: ErrorResponseOptions): void => {
  Reflect.set(error, 'headers', toErrorHeaders(error, { realm, retryAfter: toRetryAfter(error, randomByte) }))
}

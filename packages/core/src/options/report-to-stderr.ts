import type { AuthError } from '../errors/auth-error.js'

/** What happens to failures when the host gives no `onError`: nothing is lost, and nothing secret is printed. */
export const reportToStderr = (error: AuthError): void => {
  const detail = error.detail === undefined ? '' : `${error.detail}: `
  process.stderr.write(`[jwt-auth] ${error.code}: ${detail}${describeCause(error.cause ?? error)}\n`)
}

const describeCause = (cause: unknown): string =>
  cause instanceof Error ? (cause.stack ?? `${cause.name}: ${cause.message}`) : String(cause)

/** An answer, free of any framework. */
export interface WireResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers, without `Content-Length`. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string
}

// RFC 6749, section 5.1: what carries tokens is never stored by a cache.
const headersOfAll = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  'X-Content-Type-Options': 'nosniff',
}

/** Every answer of the service: JSON that is not cached and not sniffed. */
export const toJsonResponse = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({ status, headers: { ...headersOfAll, ...headers }, body: JSON.stringify(body) })

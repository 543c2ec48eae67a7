import { createHttpClient, type HttpResponse } from '@jwt-auth/test-support/http-client'
import { parseJson } from '@jwt-auth/test-support/read-json'

/** The parts of a response that a client of the site uses. */
export interface JsonResponse {
  readonly status: number
  /** JSON, parsed; `undefined` for an empty body. */
  readonly body: unknown
}

/** The parts of a request besides its method and path. */
export interface Message {
  /** The bearer token. */
  readonly token?: string
  /** Sent as JSON. */
  readonly json?: unknown
  readonly userAgent?: string
}

/** Sends one request to a site. */
export type Send = (method: string, path: string, message?: Message) => Promise<JsonResponse>

/** @param baseUrl origin and base path */
export const createClient = (baseUrl: string): Send => {
  // A host that stops waits briefly for the next request of an idle connection.
  const { send } = createHttpClient(baseUrl, { keepAlive: false })
  return async (method, path, { token, json, userAgent } = {}) => {
    const headers = {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' }),
      ...(userAgent !== undefined && { 'User-Agent': userAgent }),
    }
    return toJsonResponse(
      await send(method, path, { headers, ...(json !== undefined && { body: JSON.stringify(json) }) }),
    )
  }
}

export const toJsonResponse = ({ status, text }: HttpResponse): JsonResponse => ({
  status,
  body: text === '' ? undefined : parseJson(text),
})

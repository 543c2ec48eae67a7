import type { IncomingHttpHeaders } from 'node:http'
import { createHttpClient as createTextClient } from '@jwt-auth/test-support/http-client'

/** A response, with its body parsed as JSON. */
export interface JsonResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The parsed JSON of the body, or its text when it is not JSON. */
  readonly body: unknown
}

/** A request. */
export interface HttpMessage {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly bearer?: string | undefined
  /** Sent as JSON. */
  readonly body?: object | undefined
  /** Aborts the request, as a client that disconnects does. */
  readonly signal?: AbortSignal | undefined
}

/** A client that reuses its connections. */
export interface HttpClient {
  /** Sends a request. Rejects when no complete response arrives. */
  readonly send: (message: HttpMessage) => Promise<JsonResponse>
  /** Closes the connections. */
  readonly close: () => void
}

/** Creates a client of one server. */
export const createHttpClient = (origin: string): HttpClient => {
  const client = createTextClient(origin)
  return {
    send: async ({ method, path, bearer, body, signal }) => {
      const headers = {
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      }
      const response = await client.send(method, path, {
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      })
      return { status: response.status, headers: response.headers, body: parseJson(response.text) }
    },
    close: client.close,
  }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

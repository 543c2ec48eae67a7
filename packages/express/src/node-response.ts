import type { ServerResponse } from 'node:http'
import type { WireResponse } from '@jwt-auth/core/wire'

/** Sends an answer, unless the client is gone or somebody answered before. Without the framework: no `ETag` is added. */
export const send = (res: ServerResponse, { status, headers, body }: WireResponse): void => {
  if (res.headersSent || res.writableEnded || res.destroyed) return
  res.statusCode = status
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value)
  res.setHeader('Content-Length', Buffer.byteLength(body))
  res.end(body)
}

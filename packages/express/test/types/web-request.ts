// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import type { IncomingMessage } from 'node:http'
import { claimEquals } from '@jwt-auth/express'
import { auth } from './service.js'

/** The caller of a `Request`, of an object with headers and of Node's request, without a cast. */
export const checkWebRequest = async (request: Request, req: IncomingMessage): Promise<Response> => {
  try {
    const { userId } = await auth.verifyRequest(request, { allow: ({ claims }, { url }) => url === claims.role })
    const { claims } = await auth.verifyRequest({ headers: request.headers }, { allow: claimEquals('role', 'admin') })
    await auth.verifyRequest(req, { allow: (_caller, { rawHeaders }) => rawHeaders.length > 0 })
    return new Response(`${userId.toFixed()} ${claims.role}`)
  } catch (error) {
    return auth.toErrorResponse(error)
  }
}

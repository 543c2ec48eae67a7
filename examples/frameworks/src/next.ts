import type { IncomingMessage, ServerResponse } from 'node:http'
import { claimEquals, jwtAuth } from '@jwt-auth/express'
import { settings } from './settings.js'

// lib/auth.ts
export const auth = jwtAuth({ ...settings, namespace: '/api/auth' })

// pages/api/auth/[...path].ts: the default export, and the configuration.
export const handler = (req: IncomingMessage, res: ServerResponse) => auth(req, res)
export const config = { api: { bodyParser: false, externalResolver: true } }

// app/reports/route.ts
export const GET = async (request: Request) => {
  try {
    const { userId } = await auth.verifyRequest(request, { allow: claimEquals('role', 'admin') })
    return Response.json({ userId })
  } catch (error) {
    return auth.toErrorResponse(error)
  }
}

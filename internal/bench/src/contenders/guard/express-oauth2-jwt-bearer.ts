import { createRequire } from 'node:module'
import type { RequestHandler } from 'express'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

interface ExpressOauth2JwtBearer {
  readonly auth: (options: Readonly<Record<string, string>>) => RequestHandler
}

// Required instead of imported, since its types change the type of every `req.auth` in this workspace.
const { auth }: ExpressOauth2JwtBearer = createRequire(import.meta.url)('express-oauth2-jwt-bearer')

export const contender: ServerContender = {
  title: 'express-oauth2-jwt-bearer',
  checks: 'token',
  open: async ({ secret, issuer, audience }) => ({
    listener: openExpress(auth({ secret, issuer, audience, tokenSigningAlg: 'HS256' })),
  }),
}

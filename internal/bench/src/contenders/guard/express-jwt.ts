import { createSecretKey } from 'node:crypto'
import { expressjwt } from 'express-jwt'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: 'express-jwt, KeyObject',
  checks: 'token',
  open: async ({ secret, issuer, audience }) => ({
    listener: openExpress(
      expressjwt({ secret: createSecretKey(secret, 'utf8'), algorithms: ['HS256'], issuer, audience }),
    ),
  }),
}

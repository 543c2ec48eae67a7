import { expressjwt } from 'express-jwt'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

/** As in its documentation: jsonwebtoken creates a key from the string for each token. */
export const contender: ServerContender = {
  title: 'express-jwt, string secret',
  checks: 'token',
  open: async ({ secret, issuer, audience }) => ({
    listener: openExpress(expressjwt({ secret, algorithms: ['HS256'], issuer, audience })),
  }),
}

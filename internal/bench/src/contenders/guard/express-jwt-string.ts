import { expressjwt } from 'express-jwt'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

/**
 * Passes the secret as a string, as the documentation of express-jwt does. jsonwebtoken then creates a key from the string for each
 * token.
 */
export const contender: ServerContender = {
  title: 'express-jwt, string secret',
  checks: 'token',
  open: async ({ secret, issuer, audience }) => ({
    listener: openExpress(expressjwt({ secret, algorithms: ['HS256'], issuer, audience })),
  }),
}

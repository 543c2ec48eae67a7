import { expressjwt } from 'express-jwt'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

/** As its documentation shows it: jsonwebtoken makes a key of the string for each token. */
export const contender: ServerContender = {
  title: 'express-jwt, string secret',
  checks: 'token',
  open: async ({ secret, issuer, audience }) => ({
    listener: openExpress(expressjwt({ secret, algorithms: ['HS256'], issuer, audience })),
  }),
}

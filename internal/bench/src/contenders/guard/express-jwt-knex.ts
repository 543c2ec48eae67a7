import { createSecretKey } from 'node:crypto'
import { connectTo } from '@jwt-auth/test-support'
import { expressjwt } from 'express-jwt'
import { poolSize } from '../../world/open-storage.js'
import { databaseUrlOf } from '../../world/world.js'
import { openExpress } from '../open-express.js'
import type { ServerContender } from '../server-contender.js'

/** Revocation with express-jwt, written by hand: one lookup per request. */
export const contender: ServerContender = {
  title: 'express-jwt, one knex lookup per request, PostgreSQL',
  checks: 'token and session',
  open: async (world) => {
    const knex = connectTo(databaseUrlOf(world, 'PostgreSQL'), { min: poolSize, max: poolSize })
    const guard = expressjwt({
      secret: createSecretKey(world.secret, 'utf8'),
      algorithms: ['HS256'],
      issuer: world.issuer,
      audience: world.audience,
      isRevoked: async (_req, token) => {
        const { sid } = Object(token?.payload)
        const session = await knex('jwt_auth_sessions').where({ id: sid }).first('ended_at')
        return session === undefined || session.ended_at !== null
      },
    })
    return { listener: openExpress(guard) }
  },
}

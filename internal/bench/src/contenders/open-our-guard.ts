import type { RequestListener } from 'node:http'
import type { SessionStorage } from '@jwt-auth/core'
import { jwtAuth } from '@jwt-auth/express'
import { sampleUsers } from '../world/sample-user.js'
import type { World } from '../world/world.js'
import { openExpress } from './open-express.js'

/** Creates the guard of jwt-auth on Express, over a storage with the world's sessions. */
export const openOurGuard = ({ secret, issuer, audience }: World, storage: SessionStorage): RequestListener =>
  openExpress(jwtAuth({ secret, issuer, audience, users: sampleUsers, storage, rateLimits: false }).guard())

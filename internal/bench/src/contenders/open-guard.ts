import { jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { sampleUsers } from '../world/sample-user.js'
import type { World } from '../world/world.js'
import { openMiddleware } from './open-middleware.js'
import type { OpenedOperation } from './operation-contender.js'

/** Opens the guard of jwt-auth over memory storage with all sessions of the world, on requests with some of its tokens. */
export const openGuard = async (
  { secret, issuer, audience, sessions }: World,
  tokens: readonly string[],
): Promise<OpenedOperation> => {
  const storage = memoryStorage({ quiet: true })
  for (const session of sessions) await storage.create(session)
  const auth = jwtAuth({ secret, issuer, audience, users: sampleUsers, storage, rateLimits: false })
  return openMiddleware(auth.guard(), tokens, { isGuard: true })
}

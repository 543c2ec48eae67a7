import { jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { sampleUsers } from '../world/sample-user.js'
import type { World } from '../world/world.js'
import { openMiddleware } from './open-middleware.js'
import type { OpenedOperation } from './operation-contender.js'

/**
 * Opens the guard of jwt-auth, with all sessions of the {@link World} in memory storage. Each call gets a request with one of the
 * tokens.
 */
export const openGuard = async (
  { secret, issuer, audience, sessions }: World,
  tokens: readonly string[],
): Promise<OpenedOperation> => {
  const storage = memoryStorage({ quiet: true })
  for (const session of sessions) await storage.create(session)
  const auth = jwtAuth({ secret, issuer, audience, users: sampleUsers, storage, rateLimits: false })
  return openMiddleware(auth.guard(), tokens, { isGuard: true })
}

import { createTokenService, type SessionStorage } from '@jwt-auth/core'
import { sampleUsers } from '../world/sample-user.js'
import type { World } from '../world/world.js'
import type { OpenedOperation } from './operation-contender.js'

/** Opens the refresh of jwt-auth as an operation: it finds the session and the user, writes the rotation, and issues two tokens. */
export const openOurRefresh = ({ secret, issuer, audience }: World, storage: SessionStorage): OpenedOperation => {
  const service = createTokenService({ secret, issuer, audience, users: sampleUsers, storage, rateLimits: false })
  const refreshTokens = new Map<number, string>()

  const refresh = async (client: number): Promise<void> => {
    const presented = refreshTokens.get(client) ?? (await service.sessions.create(client + 1)).refreshToken
    const { refreshToken } = await service.refresh(presented)
    refreshTokens.set(client, refreshToken)
  }

  return {
    check: async () => {
      await refresh(0)
      await refresh(0)
      const refused = await service.refresh(`jwtauth_rt_${'A'.repeat(64)}`).catch(() => 'refused')
      if (refused !== 'refused') throw new Error('An unknown refresh token was accepted.')
    },
    run: refresh,
  }
}

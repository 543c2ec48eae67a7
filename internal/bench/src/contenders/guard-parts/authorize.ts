import { createTokenService } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { sampleUsers } from '../../world/sample-user.js'
import type { OperationContender } from '../operation-contender.js'

/** The call that the guard makes into core: it verifies the token, and looks the session up. */
export const contender: OperationContender = {
  title: 'authorize, on memory storage',
  open: async ({ secret, issuer, audience, tokens, sessions, revokedToken }) => {
    const storage = memoryStorage({ quiet: true })
    for (const session of sessions) await storage.create(session)
    const service = createTokenService({ secret, issuer, audience, users: sampleUsers, storage })
    return {
      check: async () => {
        await service.authorize(tokens[0] ?? '')
        const refused = await service.authorize(revokedToken).catch(() => 'refused')
        if (refused !== 'refused') throw new Error('A revoked token was accepted.')
      },
      run: (_client, turn) => service.authorize(tokens[turn % tokens.length] ?? ''),
    }
  },
}

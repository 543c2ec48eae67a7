import { createTokenService } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { hashedUsers, password } from '../../world/sample-user.js'
import type { OperationContender } from '../operation-contender.js'

export const contender: OperationContender = {
  title: '**jwt-auth**, authenticate on memory storage',
  open: async ({ secret, issuer, audience, bcryptCost }) => {
    const users = await hashedUsers(bcryptCost)
    const service = createTokenService({ secret, issuer, audience, users, storage: memoryStorage({ quiet: true }) })
    return {
      check: async () => {
        await service.authenticate({ username: 'user-1', password })
        const refused = await service.authenticate({ username: 'user-1', password: 'another' }).catch(() => 'refused')
        if (refused !== 'refused') throw new Error('Another password was accepted.')
      },
      run: (_client, turn) => service.authenticate({ username: `user-${turn + 1}`, password }),
    }
  },
}

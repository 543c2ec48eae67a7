import { createTokenService } from '@jwt-auth/core'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { hashedUsers, password } from '../world/sample-user.js'
import type { OperationContender } from './contender.js'

/** Logins. */
export const logins: Readonly<Record<string, OperationContender>> = {
  ours: {
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
  },
  /** The least that a login must do: one comparison. */
  'raw-bcrypt': {
    title: 'bcrypt alone',
    open: async ({ bcryptCost }) => {
      const { default: bcrypt } = await import('bcrypt')
      const hash = await bcrypt.hash(password, bcryptCost)
      return {
        check: async () => {
          if (!(await bcrypt.compare(password, hash))) throw new Error('The right password was refused.')
          if (await bcrypt.compare('another', hash)) throw new Error('Another password was accepted.')
        },
        run: () => bcrypt.compare(password, hash),
      }
    },
  },
}

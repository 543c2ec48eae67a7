import { createTokenService } from '@jwt-auth/core'
import { hashPassword, passwordUsers } from '@jwt-auth/passwords'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { sampleUser, type World } from '../world.js'
import type { OperationContender } from './operation.js'

const password = 'correct horse battery staple'

/** Logins of users and sessions in memory, with bcrypt of one cost. */
export const logins = (cost: number): Readonly<Record<string, OperationContender>> => ({
  ours: {
    title: '**jwt-auth**',
    open: async ({ secret, issuer, audience }: World) => {
      const passwordHash = await hashPassword(password, { cost })
      const find = async (id: number) => ({ ...sampleUser(id), passwordHash })
      const users = passwordUsers({
        cost,
        findByUsername: (name) => find(Number(name.replace('user-', ''))),
        findById: (id) => find(Number(id)),
      })
      const service = createTokenService({ secret, issuer, audience, users, storage: memoryStorage({ quiet: true }) })
      return {
        check: async () => {
          await service.login({ username: 'user-1', password })
          const refused = await service.login({ username: 'user-1', password: 'another' }).catch(() => 'refused')
          if (refused !== 'refused') throw new Error('Another password was accepted.')
        },
        run: (turn) => service.login({ username: `user-${turn + 1}`, password }),
      }
    },
  },
  /** The least that a login must do: one comparison. */
  bcrypt: {
    title: 'bcrypt alone',
    open: async () => {
      const { default: bcrypt } = await import('bcrypt')
      const hash = await bcrypt.hash(password, cost)
      return {
        check: async () => {
          if (!(await bcrypt.compare(password, hash))) throw new Error('The right password was refused.')
        },
        run: () => bcrypt.compare(password, hash),
      }
    },
  },
})

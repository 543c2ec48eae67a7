import { jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { hashedUsers } from '../../world/sample-user.js'
import { openFileHost } from '../open-file-host.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: '**jwt-auth**, passwordUsers',
  checks: 'nothing',
  open: async ({ secret, issuer, audience, bcryptCost }) => {
    const app = openFileHost()
    const users = await hashedUsers(bcryptCost)
    app.use(jwtAuth({ secret, issuer, audience, users, storage: memoryStorage({ quiet: true }), onError: () => {} }))
    return { listener: app }
  },
}

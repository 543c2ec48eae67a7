import { jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { hashedUsers } from '../../world/sample-user.js'
import { lifetimeSeconds, type TabClient } from '../tab-client.js'

/** Creates a server with jwt-auth. */
export const createJwtAuthServer: TabClient['createServer'] = async (now) => {
  const auth = jwtAuth({
    secret: 'a secret of this measurement, 32 bytes or more',
    issuer: 'https://api.example.com',
    users: await hashedUsers(4),
    storage: memoryStorage({ quiet: true }),
    accessTokenLifetimeSeconds: lifetimeSeconds,
    system: { now },
  })
  const guard = auth.guard()
  return {
    respond: (req, res) => auth(req, res, () => guard(req, res, () => res.end('report'))),
    refreshPath: '/jwt-auth/v1/token/refresh',
    hasSession: async () => (await auth.sessions.list(1)).length > 0,
  }
}

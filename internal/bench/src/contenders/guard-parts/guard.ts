import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { getOptionalAuth, jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { sampleUsers } from '../../world/sample-user.js'
import type { OperationContender } from '../operation-contender.js'

/** The middleware on requests that came through no socket. */
export const contender: OperationContender = {
  title: 'the guard, on memory storage',
  open: async ({ secret, issuer, audience, tokens, sessions }) => {
    const storage = memoryStorage({ quiet: true })
    for (const session of sessions) await storage.create(session)
    const guard = jwtAuth({ secret, issuer, audience, users: sampleUsers, storage }).guard()
    const requests = tokens.map(toRequest)
    const response = new ServerResponse(toRequest(''))
    const run = async (turn: number): Promise<IncomingMessage> => {
      const request = requests[turn % requests.length] ?? toRequest('')
      await new Promise<void>((resolve) => guard(request, response, () => resolve()))
      return request
    }
    return {
      check: async () => {
        if (getOptionalAuth(await run(0)) === undefined) throw new Error('A good token was not let in.')
      },
      run: (_client, turn) => run(turn),
    }
  },
}

const toRequest = (token: string): IncomingMessage => {
  const request = new IncomingMessage(new Socket())
  const authorization = `Bearer ${token}`
  request.headers.authorization = authorization
  request.rawHeaders.push('Host', '127.0.0.1', 'Connection', 'keep-alive', 'Authorization', authorization)
  return request
}

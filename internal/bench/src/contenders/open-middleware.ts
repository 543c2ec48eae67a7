import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Middleware } from '@jwt-auth/express'
import type { OpenedOperation } from './operation-contender.js'

/** Opens middleware as an operation, without HTTP. Each call gets a new request object with the next token. */
export const openMiddleware = (
  middleware: Middleware,
  tokens: readonly string[],
  { isGuard }: { readonly isGuard: boolean },
): OpenedOperation => {
  const socket = new Socket()
  const headers = tokens.map((token) => `Bearer ${token}`)
  const response = new ServerResponse(new IncomingMessage(socket))

  const run = (turn: number): Promise<IncomingMessage> =>
    new Promise((resolve) => {
      const request = new IncomingMessage(socket)
      const authorization = headers[turn % headers.length] ?? ''
      request.headers = { authorization }
      request.rawHeaders = ['Host', '127.0.0.1', 'Connection', 'keep-alive', 'Authorization', authorization]
      middleware(request, response, () => resolve(request))
    })

  return {
    check: async () => {
      if ((Reflect.get(await run(0), 'auth') !== undefined) !== isGuard)
        throw new Error('The middleware is not what it should be.')
    },
    run: (_client, turn) => run(turn),
  }
}

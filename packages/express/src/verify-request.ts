import type { IncomingMessage } from 'node:http'
import type { Auth, TokenService } from '@jwt-auth/core'
import { createRequestCheck } from './check-request.js'
import { type RequestRules, resolveRules } from './guard-options.js'
import type { GuardedRequests } from './guarded-requests.js'
import { isWebRequest, requireRequest, type WebRequest } from './node-http.js'

/** Creates the function that checks requests without middleware, by the rules of the guard. */
export const createRequestVerifier =
  (service: TokenService, requests: GuardedRequests) =>
  async <Req extends IncomingMessage | WebRequest>(
    request: Req,
    options: RequestRules<Auth, Req> = {},
  ): Promise<Auth> => {
    requireRequest(request)
    const checkRequest = createRequestCheck(service, resolveRules(options))
    const notes = isWebRequest(request) ? undefined : requests.note(request, undefined)
    const caller = await checkRequest(request, notes?.address)
    if (notes !== undefined) notes.caller = caller
    return caller.auth
  }

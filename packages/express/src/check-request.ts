import type { IncomingMessage } from 'node:http'
import { type Auth, AuthError, isAuthError, type Rule, type TokenService } from '@jwt-auth/core'
import { describeValue, isPromise } from '@jwt-auth/core/adapter'
import { readBearerToken } from '@jwt-auth/core/wire'
import type { ResolvedRules } from './guard-options.js'
import { type Caller, readRoute } from './guarded-requests.js'
import { readAuthorization, type WebRequest } from './node-http.js'

/**
 * Creates the check of guards and `verifyRequest`, which resolves to the caller of a request. It emits `request_rejected` for each
 * request that it rejects.
 */
export const createRequestCheck = <Req extends IncomingMessage | WebRequest>(
  service: TokenService,
  { isUserChecked, allow, maxAuthAgeSeconds }: ResolvedRules<Req>,
) => {
  const isAllowed = allow && createRule(allow, service)

  const checkCaller = async (auth: Auth, req: Req, address: string | undefined): Promise<void> => {
    try {
      if (maxAuthAgeSeconds !== undefined) service.requireRecentLogin(auth, maxAuthAgeSeconds)
      if (isAllowed === undefined || (await isAllowed(auth, req))) return
      throw new AuthError('jwt_auth_forbidden', allow?.scopes && { scopes: allow.scopes })
    } catch (thrown) {
      if (isAuthError(thrown)) service.emitRejection(thrown, { presented: auth, address })
      throw thrown
    }
  }
  const isEveryUserAllowed = allow === undefined && maxAuthAgeSeconds === undefined

  return async (req: Req, address: string | undefined): Promise<Caller> => {
    const token = readToken(req, (error) => service.emitRejection(error, { address }))
    const caller: Caller = isUserChecked
      ? await service.authorizeUser(token, address)
      : { auth: await service.authorize(token, address) }
    if (!isEveryUserAllowed) await checkCaller(caller.auth, req, address)
    return caller
  }
}

/** Returns whether a request has no bearer token, not even a malformed one. */
export const isAnonymous = (req: IncomingMessage): boolean => {
  try {
    readBearerToken(readAuthorization(req))
    return false
  } catch (error) {
    return isAuthError(error) && error.code === 'jwt_auth_no_auth_header'
  }
}

const readToken = (req: IncomingMessage | WebRequest, onRejected: (error: AuthError) => void): string => {
  try {
    return readBearerToken(readAuthorization(req))
  } catch (error) {
    if (isAuthError(error)) onRejected(error)
    throw error
  }
}

/**
 * Creates the check of the application's rule. A rule that returns a promise has the deadline of a storage call. The check reports a
 * rule once that returns neither true nor false.
 */
const createRule = <Req extends IncomingMessage | WebRequest>(
  allow: Rule<Auth, Req>,
  { callInTime, report }: Pick<TokenService, 'callInTime' | 'report'>,
) => {
  let isReported = false
  return async (auth: Auth, req: Req): Promise<boolean> => {
    const returned = allow(auth, req)
    // A deadline takes as long as the rest of a guard. Most rules need none.
    const result: unknown = isPromise(returned) ? await callInTime('allow', async () => returned) : returned
    if (typeof result !== 'boolean' && !isReported) {
      isReported = true
      const problem = `option \`allow\` of the guard of ${readRoute(req)} returned ${describeValue(result, true)}`
      const cause = new TypeError(`jwt-auth: ${problem}; return true or false: every other value rejects the request.`)
      report(new AuthError('jwt_auth_forbidden', { cause }))
    }
    return result === true
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Auth, AuthError, isAuthError, type Rule, type TokenService } from '@jwt-auth/core'
import { describeValue } from '@jwt-auth/core/adapter'
import { readBearerToken } from '@jwt-auth/core/wire'
import type { ErrorHandling, Fail, Next } from './failures.js'
import { type GuardOptions, resolveGuardOptions } from './guard-options.js'
import { type GuardedRequests, readRoute } from './guarded-requests.js'
import { readAuthorization, requireNodeResponse } from './node-http.js'

/** Middleware for Express 5, Express 4, Connect and `node:http`. */
export type Middleware<Req extends IncomingMessage = IncomingMessage> = (
  req: Req,
  res: ServerResponse,
  next: Next,
) => void

/** What the guards of a service share. */
interface GuardContext {
  readonly requests: GuardedRequests
  readonly failBy: (errorHandling: ErrorHandling) => Fail
  /** Used by guards without the option. */
  readonly errorHandling: ErrorHandling
}

/** Creates the function that creates guards. */
export const createGuardFactory =
  (service: TokenService, { requests, failBy, errorHandling: byDefault }: GuardContext) =>
  <Req extends IncomingMessage = IncomingMessage>(options: GuardOptions<Auth, Req> = {}): Middleware<Req> => {
    const { isOptional, isUserChecked, allow, maxAuthAgeSeconds, errorHandling } = resolveGuardOptions(options)
    const fail = failBy(errorHandling ?? byDefault)

    const isAllowed = allow && createRule(allow, service.report)

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

    const admit = async (req: Req, res: ServerResponse): Promise<void> => {
      const notes = requests.note(req, res)
      const { address } = notes
      const token = readToken(req, isOptional, (error) => service.emitRejection(error, { address }))
      if (token !== undefined) {
        const { auth, user } = isUserChecked
          ? await service.authorizeUser(token, address)
          : { auth: await service.authorize(token, address) }
        if (!isEveryUserAllowed) await checkCaller(auth, req, address)
        notes.auth = auth
        notes.user = user
      }
      // Assignments to `req.auth` fail from now on. Another guard can still redefine the property.
      Object.defineProperty(req, 'auth', { value: notes.auth, configurable: true, enumerable: true, writable: false })
    }

    return (req, res, next) => {
      requireNodeResponse(res)
      admit(req, res).then(
        () => next(),
        (thrown: unknown) => fail(thrown, res, next),
      )
    }
  }

const readToken = (
  req: IncomingMessage,
  isOptional: boolean,
  onRejected: (error: AuthError) => void,
): string | undefined => {
  try {
    return readBearerToken(readAuthorization(req))
  } catch (error) {
    if (isOptional && isAuthError(error) && error.code === 'jwt_auth_no_auth_header') return undefined
    if (isAuthError(error)) onRejected(error)
    throw error
  }
}

/** Creates the check of the application's rule. It reports a rule once that returns neither true nor false. */
const createRule = <Req extends IncomingMessage>(allow: Rule<Auth, Req>, report: TokenService['report']) => {
  let isReported = false
  return async (auth: Auth, req: Req): Promise<boolean> => {
    const result: unknown = await allow(auth, req)
    if (typeof result !== 'boolean' && !isReported) {
      isReported = true
      const problem = `option \`allow\` of the guard of ${readRoute(req)} returned ${describeValue(result, true)}`
      const cause = new TypeError(`jwt-auth: ${problem}; return true or false: every other value rejects the request.`)
      report(new AuthError('jwt_auth_forbidden', { cause }))
    }
    return result === true
  }
}

import type { Auth } from '../access-token/claims.js'
import { readPresentedToken } from '../dpop/presented-token.js'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import { describeValue, isPromise, usageError } from '../option-checks.js'
import { afterInput } from '../system.js'
import { authorize, authorizeUser, type Caller, type TokenRules } from './authorize.js'
import type { Call, HttpRequest } from './call.js'
import type { ServiceContext } from './service-context.js'

/** What a request must fulfil besides a valid access token. */
export interface AccessRules extends TokenRules {
  /** Whether the user is looked up and checked as by a refresh. @default false */
  readonly checkUser?: boolean | undefined
  /** The application's rule, with the caller and the request of the framework. */
  readonly allow?: AccessRule | undefined
}

/** A rule for the requests of one framework. */
export type AccessRule = ((auth: Auth, source: never) => unknown) & { readonly scopes?: readonly string[] }

/**
 * Decides whether a request is admitted to what guards and routes protect, and returns its caller.
 *
 * @throws AuthError `jwt_auth_no_auth_header` or `jwt_auth_bad_auth_header` without an access
 *   token; the errors of {@link authorize}; `jwt_auth_forbidden` when the rule does not allow the
 *   request; `jwt_auth_internal_error` when the rule fails
 */
export const admit = async (
  context: ServiceContext,
  { checkUser, allow, maxAuthAgeSeconds }: AccessRules,
  call: Call<HttpRequest>,
): Promise<Caller> => {
  const token = readPresentedToken(call.request)
  // To check all requests of one turn of the event loop together takes less CPU time, unless the
  // lookups of their sessions wait for each other anyway.
  if (context.policy.storage.batchLookups === false) await afterInput()
  const rules = { ...token, maxAuthAgeSeconds }
  const caller: Caller = checkUser
    ? await authorizeUser(context, rules, call)
    : { auth: (await authorize(context, rules, call)).auth }
  if (allow !== undefined) await requireAllowed(context, call.request, { allow, auth: caller.auth })
  return caller
}

// A rule that returns a promise has the deadline of a storage call: setting a deadline costs as
// much time as the rest of a guard, and most rules need none.
const requireAllowed = async (
  context: ServiceContext,
  { source, route }: HttpRequest,
  { allow, auth }: { readonly allow: AccessRule; readonly auth: Auth },
): Promise<void> => {
  let result: unknown
  try {
    // A binding passes requests of the framework for which the rule was written.
    const returned = allow(auth, source as never)
    result = isPromise(returned) ? await context.callInTime('allow', async () => returned) : returned
  } catch (thrown) {
    if (isAuthError(thrown)) throw thrown
    const detail = `the rule \`allow\` of the guard of ${route} failed (tokens that were issued before you added a claim do not contain it)`
    throw new AuthError('jwt_auth_internal_error', { cause: thrown, detail })
  }
  if (result === true) return
  if (typeof result !== 'boolean' && !reportedRules.has(allow)) {
    reportedRules.add(allow)
    const problem = `option \`allow\` of the guard of ${route} returned ${describeValue(result, true)}`
    const cause = usageError('allow', `${problem}; return true or false: every other value rejects the request.`)
    context.report(new AuthError('jwt_auth_forbidden', { cause }))
  }
  throw new AuthError('jwt_auth_forbidden', allow.scopes && { scopes: allow.scopes })
}

// Each rule is reported once.
const reportedRules = new WeakSet<AccessRule>()

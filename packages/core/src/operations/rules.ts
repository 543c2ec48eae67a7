import type { Auth } from '../access-token/claims.js'
import { isScope } from '../errors/auth-error.js'
import { getMember, optionError } from '../option-checks.js'

/**
 * A rule for the option `allow` of a guard: returns whether a request may proceed. `A` is the
 * caller, `Req` the request of your framework.
 */
export interface Rule<A extends Pick<Auth, 'claims'> = Auth, Req = unknown> {
  /** Returns `true` for a request that may proceed. Every other value rejects the request. */
  (auth: A, req: Req): boolean | Promise<boolean>
  // A rule returns no reason: an object is truthy, so rules that are combined with `&&` would
  // accept everybody.
  /** The scopes that the rule requires. The response to a rejected request names them. */
  readonly scopes?: readonly string[]
}

/** A rule that reads claims only. */
export type ClaimRule = Rule<Pick<Auth, 'claims'>>

/**
 * Requires scopes in the claim `scope`: text with spaces between the scopes (RFC 9068, section
 * 2.2.3), or a list. A rejected request receives 403 with `error="insufficient_scope"` and the
 * required scopes (RFC 6750, section 3.1).
 *
 * @throws TypeError for a value that is not a scope
 * @example
 * ```ts
 * app.get('/reports', auth.guard({ allow: hasScope('reports:read') }), …)
 * ```
 */
export const hasScope = (...scopes: readonly string[]): ClaimRule => {
  if (scopes.length === 0) throw optionError('hasScope', 'one scope or more', scopes)
  for (const scope of scopes) {
    if (!isScope(scope))
      throw optionError('hasScope', 'scopes of printable ASCII without spaces, quotes and backslashes', scope)
  }
  const rule = ({ claims }: Pick<Auth, 'claims'>): boolean => {
    const held = readClaim(claims, 'scope')
    return includesAll(typeof held === 'string' ? held.split(' ') : held, scopes)
  }
  return Object.assign(rule, { scopes: Object.freeze([...scopes]) })
}

/**
 * Requires a claim with exactly this value.
 *
 * @throws TypeError for a value that no claim equals, such as `undefined` or a list
 * @example
 * ```ts
 * app.get('/admin', auth.guard({ allow: claimEquals('role', 'admin') }), …)
 * ```
 */
export const claimEquals = (name: string, value: string | number | boolean): ClaimRule => {
  checkClaim('claimEquals', name, [value])
  return ({ claims }) => readClaim(claims, name) === value
}

/**
 * Requires a claim that is a list with all of these values.
 *
 * @throws TypeError without a value, and for a value of a type that the list cannot contain, such
 *   as `undefined` or a list
 * @example
 * ```ts
 * app.get('/drafts', auth.guard({ allow: claimIncludes('roles', 'editor') }), …)
 * ```
 */
export const claimIncludes = (name: string, ...values: readonly (string | number | boolean)[]): ClaimRule => {
  checkClaim('claimIncludes', name, values)
  return ({ claims }) => includesAll(readClaim(claims, name), values)
}

/**
 * Requires all rules. Calls them in order, up to the first that fails.
 *
 * @example
 * ```ts
 * const ofOwner: Rule<Auth, Request<{ id: string }>> = ({ userId }, req) =>
 *   isOwner(userId, req.params.id)
 * auth.guard({ allow: allOf(hasScope('documents:write'), ofOwner) })
 * ```
 */
export const allOf = <A extends Auth = Auth, Req = unknown>(
  ...rules: readonly Rule<NoInfer<A>, Req>[]
): Rule<A, Req> => {
  checkRules('allOf', rules)
  const rule = async (auth: A, req: Req): Promise<boolean> => {
    for (const each of rules) if ((await each(auth, req)) !== true) return false
    return true
  }
  return Object.assign(rule, { scopes: [...new Set(rules.flatMap(({ scopes = [] }) => scopes))] })
}

/**
 * Requires one of the rules. Calls them in order, up to the first that is fulfilled. The response
 * to a rejected request names no scope, because none of them is necessary.
 *
 * @example
 * ```ts
 * auth.guard({ allow: anyOf(claimEquals('role', 'admin'), hasScope('reports:read')) })
 * ```
 */
export const anyOf = <A extends Auth = Auth, Req = unknown>(
  ...rules: readonly Rule<NoInfer<A>, Req>[]
): Rule<A, Req> => {
  checkRules('anyOf', rules)
  return async (auth, req) => {
    for (const each of rules) if ((await each(auth, req)) === true) return true
    return false
  }
}

// A rule with a wrong name or value would reject everybody.
const checkClaim = (rule: string, name: unknown, values: readonly unknown[]): void => {
  if (typeof name !== 'string' || name === '') throw optionError(rule, 'given the name of a claim first', name)
  const call = `${rule}('${rule === 'claimEquals' ? 'role' : 'roles'}', 'admin')`
  if (values.length === 0) throw optionError(rule, `given one value or more, such as ${call}`, undefined)
  for (const value of values) {
    if (typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)) continue
    throw optionError(rule, `given text, numbers or booleans after the name, such as ${call}`, value)
  }
}

// Without rules, `allOf` would let everybody pass.
const checkRules = (name: string, rules: readonly unknown[]): void => {
  if (rules.length === 0) throw optionError(name, 'one rule or more', rules)
  for (const rule of rules) {
    if (typeof rule !== 'function') throw optionError(name, 'rules, which are functions', rule)
  }
}

const readClaim = (claims: object, name: string): unknown =>
  Object.hasOwn(claims, name) ? getMember(claims, name) : undefined

const includesAll = (held: unknown, values: readonly unknown[]): boolean =>
  Array.isArray(held) && values.every((value) => held.includes(value))

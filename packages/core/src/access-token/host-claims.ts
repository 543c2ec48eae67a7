import type { CallInTime } from '../checked/call-in-time.js'
import { describeValue, isPromise } from '../option-checks.js'
import type { User } from '../ports/user-directory.js'
import { reservedClaimNames } from './claims.js'
import { parseStrictObject, type StrictObject } from './strict-json.js'

/**
 * Returns the application's claims for a user.
 *
 * @throws AuthError `jwt_auth_unavailable` when the option `claims` takes too long; otherwise what the option throws; `TypeError`
 * for claims that are reserved or not JSON data
 */
export type GetHostClaims = (user: User) => Promise<StrictObject>

/** What calls of the option `claims` depend on. */
interface HostClaimsContext {
  readonly callInTime: CallInTime
  /** Reports a mistake in the application. */
  readonly reportFault: (message: string) => void
}

/** Creates the function that calls the option `claims`. */
export const createHostClaims =
  (
    claims: ((user: User) => object | Promise<object>) | undefined,
    { callInTime, reportFault }: HostClaimsContext,
  ): GetHostClaims =>
  async (user) => {
    if (claims === undefined) return {}
    const returned = await callInTime('claims', async () => claims(user))
    const hostClaims = toPlainClaims(returned)
    if (returned === user || Object.hasOwn(hostClaims, 'credentialVersion')) {
      const names = Object.keys(hostClaims).join(', ')
      reportFault(
        `option \`claims\` returned the whole user, so that every access token contains ${names}. Return only what your rules read, such as \`({ role: user.role })\`.`,
      )
    }
    const reserved = Object.keys(hostClaims).find((name) => reservedClaimNames.has(name))
    if (reserved === undefined) return hostClaims
    throw new TypeError(`jwt-auth: option \`claims\` returned the reserved claim \`${reserved}\`; choose another name.`)
  }

/**
 * Takes what the option `claims` returned, and returns the claims in the form that the token will contain and the guard will read:
 * after `toJSON`. Members that are `undefined` are absent.
 *
 * @throws TypeError that names the claim, for values that JSON would drop or replace without an error
 */
export const toPlainClaims = (returned: unknown): StrictObject => {
  const claims = parseStrictObject(Buffer.from(writeJson(returned) ?? ''))
  if (claims !== undefined) return claims
  const fix = returned === undefined ? ' Does the function lack a `return`?' : ''
  throw new TypeError(
    `jwt-auth: option \`claims\` must return an object of JSON data, in well-formed Unicode and without a member \`__proto__\`; it returned ${describeValue(returned, true)}.${fix}`,
  )
}

const writeJson = (returned: unknown): string | undefined => {
  let refusal: TypeError | undefined
  try {
    // Not an arrow function, because `this` is the object that has the member. `value` is the member after `toJSON`, which Buffer
    // has.
    return JSON.stringify(returned, function (this: object, name: string, value: unknown): unknown {
      const isBinary = ArrayBuffer.isView(Reflect.get(this, name))
      const problem = isBinary ? binaryProblem : findProblem(value, Array.isArray(this))
      if (problem === undefined) return value
      const where = name === '' ? 'the result' : `\`${name}\``
      refusal = new TypeError(`jwt-auth: option \`claims\` must return JSON data, but ${where} is ${problem}`)
      throw refusal
    })
  } catch (cause) {
    if (cause === refusal || !(cause instanceof TypeError) || !cause.message.includes('circular')) throw cause
    const problem =
      'option `claims` returned an object that contains itself; return only the members that the token needs.'
    throw new TypeError(`jwt-auth: ${problem}`, { cause })
  }
}

const binaryProblem = "bytes, which no token can contain: use text, such as `bytes.toString('base64url')`."

/** Describes a value that JSON would drop or replace, with the fix. */
const findProblem = (value: unknown, isInArray: boolean): string | undefined => {
  switch (typeof value) {
    case 'function':
      return 'a function, which no token can contain: call it.'
    case 'symbol':
      return 'a symbol, which no token can contain: use text.'
    case 'bigint':
      return 'a bigint, which no token can contain: use text, or a number.'
    case 'number':
      return Number.isFinite(value) ? undefined : `${value}, which no token can contain.`
    case 'undefined':
      return isInArray ? 'undefined in a list: remove it.' : undefined
    default:
      return findObjectProblem(value)
  }
}

// Objects of these classes have no members that JSON writes. Members of other classes are written.
const findObjectProblem = (value: unknown): string | undefined => {
  if (isPromise(value)) return 'a promise: await it, in `claims: async (user) => …`.'
  if (value instanceof Map || value instanceof Set) {
    return `a ${value instanceof Map ? 'Map' : 'Set'}, which no token can contain: use an ${value instanceof Map ? 'object' : 'array'}.`
  }
  if (value instanceof RegExp) return 'a regular expression, which no token can contain: use its `source`.'
  if (value instanceof Error) return 'an error, which no token can contain: use its `message`.'
  return undefined
}

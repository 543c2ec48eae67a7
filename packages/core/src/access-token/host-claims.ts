import type { CallInTime } from '../call-in-time.js'
import { describeValue, getMember, isPromise, usageError } from '../option-checks.js'
import type { User } from '../ports/user-directory.js'
import { reservedClaimNames } from './claims.js'
import { parseStrictObject, type StrictObject } from './strict-json.js'

/**
 * Creates the function that returns the application's claims for a user.
 *
 * @throws AuthError `jwt_auth_unavailable` when the option `claims` takes too long; otherwise what
 *   the option throws; `TypeError` for claims that are reserved or not JSON data
 */
export const createHostClaims =
  (
    claims: ((user: User) => object | Promise<object>) | undefined,
    { callInTime, reportFault }: { readonly callInTime: CallInTime; readonly reportFault: (message: string) => void },
  ) =>
  async (user: User): Promise<StrictObject> => {
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
    throw usageError('claims', `option \`claims\` returned the reserved claim \`${reserved}\`; choose another name.`)
  }

/**
 * Takes what the option `claims` returned, and returns the claims in the form that the token will
 * contain and the guard will read: after `toJSON`. Members that are `undefined` are absent.
 *
 * @throws TypeError that names the claim, for values that JSON would drop or replace without an
 *   error
 */
export const toPlainClaims = (returned: unknown): StrictObject => {
  const claims = parseStrictObject(Buffer.from(JSON.stringify(returned, refuseLoss) ?? ''))
  if (claims !== undefined) return claims
  const fix = returned === undefined ? ' Does the function lack a `return`?' : ''
  throw usageError(
    'claims',
    `option \`claims\` must return an object of JSON data, in well-formed Unicode and without a member \`__proto__\`; it returned ${describeValue(returned, true)}.${fix}`,
  )
}

// Not an arrow function, because `this` is the object that has the member. `value` is the member
// after `toJSON`, which Buffer has.
function refuseLoss(this: object, name: string, value: unknown): unknown {
  const loss = ArrayBuffer.isView(getMember(this, name)) ? 'bytes' : findLoss(value, Array.isArray(this))
  if (loss === undefined) return value
  const member = name === '' ? 'the result' : `\`${name}\``
  throw usageError(
    'claims',
    `option \`claims\` must return JSON data, but ${member} is ${loss}, which no token can contain.`,
  )
}

/** Describes a value that JSON would drop or replace. */
const findLoss = (value: unknown, isInList: boolean): string | undefined => {
  if (value === undefined) return isInList ? 'undefined' : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (['function', 'symbol', 'bigint'].includes(typeof value)) return `a ${typeof value}`
  if (isPromise(value)) return 'a promise without `await`'
  // Objects of these classes have no members that JSON writes. Members of other classes are
  // written.
  const lost = [Map, Set, RegExp, Error].find((each) => value instanceof each)
  return lost && `a ${lost.name}`
}

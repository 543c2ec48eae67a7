import type { CallInTime } from '../checked/call-in-time.js'
import { describeValue, isPromise, usageError } from '../option-checks.js'
import type { User } from '../ports/user-directory.js'
import { reservedClaimNames } from './claims.js'
import { parseStrictObject, type StrictObject } from './strict-json.js'

/**
 * Returns the application's claims for a user.
 *
 * @throws AuthError `jwt_auth_unavailable` when the option `claims` takes too long; otherwise what
 *   the option throws; `TypeError` for claims that are reserved or not JSON data
 */
export type GetHostClaims = (user: User) => Promise<StrictObject>

/** Creates the function that calls the option `claims`. */
export const createHostClaims =
  (
    claims: ((user: User) => object | Promise<object>) | undefined,
    { callInTime, reportFault }: { readonly callInTime: CallInTime; readonly reportFault: (message: string) => void },
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
    throw usageError('claims', `option \`claims\` returned the reserved claim \`${reserved}\`; choose another name.`)
  }

/**
 * Takes what the option `claims` returned, and returns the claims in the form that the token will
 * contain and the guard will read: as `JSON.stringify` writes them.
 *
 * @throws TypeError for anything but an object of JSON data, and for a promise in it
 */
export const toPlainClaims = (returned: unknown): StrictObject => {
  const claims = parseStrictObject(Buffer.from(JSON.stringify(returned, refusePromise) ?? ''))
  if (claims !== undefined) return claims
  const fix = returned === undefined ? ' Does the function lack a `return`?' : ''
  throw usageError(
    'claims',
    `option \`claims\` must return an object of JSON data, in well-formed Unicode and without a member \`__proto__\`; it returned ${describeValue(returned, true)}.${fix}`,
  )
}

const refusePromise = (name: string, value: unknown): unknown => {
  if (!isPromise(value)) return value
  throw usageError('claims', `option \`claims\` returned a promise as \`${name}\`; await it.`)
}

import type { CallInTime } from '../call-in-time.js'
import { usageError } from '../option-checks.js'
import type { User } from '../ports/user-directory.js'
import { reservedClaimNames } from './claims.js'
import { type StrictObject, toStrictObject } from './strict-json.js'

/**
 * Creates the function that returns the application's claims for a user and a session.
 *
 * @throws AuthError `jwt_auth_unavailable` when the option `claims` takes too long; otherwise what
 *   the option throws; `TypeError` for claims that are reserved or not JSON data
 */
export const createHostClaims =
  <S>(
    claims: ((user: User, session: S) => object | Promise<object>) | undefined,
    { callInTime, reportFault }: { readonly callInTime: CallInTime; readonly reportFault: (message: string) => void },
  ) =>
  async (user: User, session: S): Promise<StrictObject> => {
    if (claims === undefined) return {}
    const returned = await callInTime('claims', async () => claims(user, session))
    const hostClaims = toStrictObject('claims', returned)
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

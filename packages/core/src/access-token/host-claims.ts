import type { CallInTime } from '../call-in-time.js'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import { usageError } from '../option-checks.js'
import type { User } from '../ports/user-directory.js'
import { reservedClaimNames } from './claims.js'
import { type StrictObject, toStrictObject } from './strict-json.js'

/**
 * The names that members of the application cannot have in a response: those of the HTTP contract,
 * and those that later versions may give a meaning.
 */
export const reservedMemberNames: ReadonlySet<string> = new Set([
  ...['token', 'refresh_token', 'access_token', 'token_type', 'expires_in', 'refresh_expires_in', 'scope', 'mfa_token'],
  ...['user_id', 'user_email', 'user_nicename', 'user_display_name', 'id', 'email', 'slug', 'name', 'link'],
  ...['code', 'message', 'data'],
])

const kinds = {
  claims: { kind: 'claim', place: 'every access token', reserved: reservedClaimNames },
  profile: { kind: 'member', place: 'every response', reserved: reservedMemberNames },
}

/**
 * Creates the function that returns the application's claims, or its members of a response.
 *
 * @throws AuthError `jwt_auth_unavailable` when the option takes too long,
 *   `jwt_auth_internal_error` when it throws, and an `AuthError` that it throws; `TypeError` for
 *   names that are reserved and for values that are not JSON data
 */
export const createHostData =
  <Args extends readonly [User, ...unknown[]]>(
    option: keyof typeof kinds,
    read: ((...args: Args) => object | Promise<object>) | undefined,
    { callInTime, reportFault }: { readonly callInTime: CallInTime; readonly reportFault: (message: string) => void },
  ) =>
  async (...args: Args): Promise<StrictObject> => {
    if (read === undefined) return {}
    const { kind, place, reserved } = kinds[option]
    const returned = await callInTime(option, async () => read(...args)).catch((cause: unknown) => {
      if (isAuthError(cause)) throw cause
      throw new AuthError('jwt_auth_internal_error', { cause, detail: `option \`${option}\` failed` })
    })
    const data = toStrictObject(option, returned)
    const names = Object.keys(data)
    const parts = [data, ...Object.values(data)]
    if ([returned, ...Object.values(returned)].includes(args[0]) || parts.some(hasUserMember)) {
      reportFault(
        `option \`${option}\` returned the whole user, so that ${place} contains ${names.join(', ')}. Return only what is needed there, such as \`({ role: user.role })\`.`,
      )
    }
    const taken = names.find((name) => reserved.has(name))
    if (taken === undefined) return data
    throw usageError(option, `option \`${option}\` returned the reserved ${kind} \`${taken}\`; choose another name.`)
  }

// A copy of the user. A directory of the application may return the password hash as well.
const hasUserMember = (part: unknown): boolean =>
  ['credentialVersion', 'passwordHash', 'password_hash'].some((name) => Object.hasOwn(Object(part), name))

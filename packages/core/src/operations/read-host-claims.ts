import { reservedClaimNames } from '../access-token/claims.js'
import { parseStrictObject } from '../access-token/strict-json.js'
import { AuthError } from '../errors/auth-error.js'
import type { HostClaims } from '../options/token-service-options.js'
import { type RunInTime, TimeoutError } from '../ports/deadline.js'
import type { User } from '../ports/user-directory.js'

type AskForClaims = (user: User) => HostClaims | Promise<HostClaims>

/**
 * Makes the function that asks the host for its claims and refuses the names that are ours. Claims that come too late are
 * `jwt_auth_unavailable`; what the host throws stays what it is.
 */
export const createHostClaimsReader =
  (claims: AskForClaims, runInTime: RunInTime) =>
  async (user: User): Promise<HostClaims> => {
    const answer = toPlainClaims(await askInTime(claims, user, runInTime))
    const reserved = Object.keys(answer).find((name) => reservedClaimNames.has(name))
    if (reserved === undefined) return answer
    throw new TypeError(`jwt-auth: option \`claims\` returned the reserved claim \`${reserved}\`; choose another name.`)
  }

const askInTime = async (claims: AskForClaims, user: User, runInTime: RunInTime): Promise<HostClaims> => {
  try {
    return await runInTime(async () => claims(user))
  } catch (cause) {
    throw cause instanceof TimeoutError ? new AuthError('jwt_auth_unavailable', { cause }) : cause
  }
}

// As the token will carry them, and as the guard will read them: what `toJSON` makes of them is what is checked.
const toPlainClaims = (answer: unknown): HostClaims => {
  const claims = parseStrictObject(Buffer.from(JSON.stringify(answer) ?? ''))
  if (claims !== undefined) return claims
  throw new TypeError(
    'jwt-auth: option `claims` must return an object of JSON data, in well-formed Unicode and without a member `__proto__`.',
  )
}

import { reservedClaimNames } from '../access-token/claims.js'
import { parseStrictObject } from '../access-token/strict-json.js'
import type { HostClaims } from '../options/token-service-options.js'
import type { User } from '../ports/user-directory.js'

/** Makes the function that asks the host for its claims and refuses the names that are ours. */
export const createHostClaimsReader =
  (claims: (user: User) => HostClaims | Promise<HostClaims>) =>
  async (user: User): Promise<HostClaims> => {
    const answer = toPlainClaims(await claims(user))
    const reserved = Object.keys(answer).find((name) => reservedClaimNames.has(name))
    if (reserved === undefined) return answer
    throw new TypeError(`jwt-auth: option \`claims\` returned the reserved claim \`${reserved}\`; choose another name.`)
  }

// As the token will carry them, and as the guard will read them: what `toJSON` makes of them is what is checked.
const toPlainClaims = (answer: unknown): HostClaims => {
  const claims = parseStrictObject(Buffer.from(JSON.stringify(answer) ?? ''))
  if (claims !== undefined) return claims
  throw new TypeError(
    'jwt-auth: option `claims` must return an object of JSON data, in well-formed Unicode and without a member `__proto__`.',
  )
}

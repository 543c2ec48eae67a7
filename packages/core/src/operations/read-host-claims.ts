import { reservedClaimNames } from '../access-token/claims.js'
import { isObject } from '../access-token/strict-json.js'
import type { HostClaims } from '../options/token-service-options.js'
import type { User } from '../ports/user-directory.js'

/** Makes the function that asks the host for its claims and refuses the names that are ours. */
export const createHostClaimsReader =
  (claims: (user: User) => HostClaims | Promise<HostClaims>) =>
  async (user: User): Promise<HostClaims> => {
    const answer: unknown = await claims(user)
    if (!isObject(answer)) throw new TypeError('jwt-auth: option `claims` must return an object of claims.')
    const reserved = Object.keys(answer).find((name) => reservedClaimNames.has(name))
    if (reserved === undefined) return answer
    throw new TypeError(`jwt-auth: option \`claims\` returned the reserved claim \`${reserved}\`; choose another name.`)
  }

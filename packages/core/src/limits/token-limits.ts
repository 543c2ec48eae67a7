import { isAuthError } from '../errors/auth-error.js'
import type { LimitParts } from './limiter-maker.js'
import { toNetwork } from './network.js'
import type { RateLimitPolicy } from './rate-limit-policy.js'
import { reserve } from './reservation.js'

/** The routes that are shown a token. */
type TokenRoute = 'refresh' | 'validate' | 'revoke' | 'me'

/** Answers a route that is shown a token, within the limits. Throws `jwt_auth_rate_limited` instead. */
export type LimitTokens = <T>(route: TokenRoute, address: string | undefined, operate: () => Promise<T>) => Promise<T>

/**
 * The limit of refused tokens from one network. Tokens can't be guessed; this is against the work that presenting them
 * makes. A good token costs nothing, so that a service which validates for thousands of users is not held up.
 */
export const createTokenLimits = (
  policy: RateLimitPolicy,
  { makeLimiter, keys, now, listenFor }: LimitParts,
): LimitTokens => {
  const limiter = makeLimiter('tokens', policy.tokens)

  return async (route, address, operate) => {
    const network = toNetwork(address)
    const bucket = { limiter, key: keys.fold(network, route), onRefused: listenFor({ limit: 'tokens', network }) }
    const { giveBack } = await reserve([bucket], now)
    const result = await operate().catch(async (failure: unknown) => {
      if (!isRefusedToken(failure)) await giveBack()
      throw failure
    })
    await giveBack()
    return result
  }
}

// Of one revoked token any number of revocations could be asked, and each asks storage.
const isRefusedToken = (failure: unknown): boolean =>
  isAuthError(failure) &&
  (failure.code === 'jwt_auth_invalid_token' ||
    failure.code === 'jwt_auth_invalid_refresh_token' ||
    failure.code === 'jwt_auth_token_already_revoked' ||
    failure.code === 'jwt_auth_token_not_found')

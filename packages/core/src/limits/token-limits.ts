import { isAuthError } from '../errors/auth-error.js'
import { toNetwork } from '../network.js'
import type { LimitParts } from './limiter-maker.js'
import type { RateLimitPolicy } from './rate-limits.js'
import { reserve } from './reservation.js'

/** The routes that are given a token. */
type TokenRoute = 'refresh' | 'validate' | 'revoke' | 'me'

/**
 * Runs a route that is given a token. If the token is refused, the refusal counts, and is replaced by `jwt_auth_rate_limited` when the
 * limit is used up.
 */
export type LimitTokens = <T>(route: TokenRoute, address: string | undefined, operate: () => Promise<T>) => Promise<T>

/**
 * Creates the limit of refused tokens from one network. The token is checked first, so that a valid token is never refused, whatever
 * other requests from its network do: a neighbour cannot prevent a logout. Tokens cannot be guessed, and checking one takes microseconds.
 */
export const createTokenLimits = (
  policy: RateLimitPolicy,
  { makeLimiter, keys, now, listenFor }: LimitParts,
): LimitTokens => {
  const limiter = makeLimiter('tokens', policy.tokens)

  return (route, address, operate) =>
    operate().catch(async (failure: unknown) => {
      if (!isRefusedToken(failure)) throw failure
      const network = toNetwork(address)
      const bucket = { limiter, key: keys.fold(network, route), onRefused: listenFor({ limit: 'tokens', network }) }
      const counted = await reserve([bucket], now)
      throw counted.kind === 'refused' ? counted.error : failure
    })
}

// Revocations of a revoked token count, because each of them queries storage.
const isRefusedToken = (failure: unknown): boolean =>
  isAuthError(failure) &&
  (failure.code === 'jwt_auth_invalid_token' ||
    failure.code === 'jwt_auth_invalid_refresh_token' ||
    failure.code === 'jwt_auth_token_already_revoked' ||
    failure.code === 'jwt_auth_token_not_found')

import { isAuthError } from '../errors/auth-error.js'
import { toFoldedKey } from './limit-key.js'
import type { MakeLimiter } from './limiter-maker.js'
import { toNetwork } from './network.js'
import type { RateLimitPolicy } from './rate-limit-policy.js'
import { createRefusalListener, type Refusal } from './refusal.js'
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
  { makeLimiter, onRefused }: { readonly makeLimiter: MakeLimiter; readonly onRefused: (refusal: Refusal) => void },
): LimitTokens => {
  const limiter = makeLimiter('tokens', policy.tokens)
  const listenFor = createRefusalListener(policy, onRefused)

  return async (route, address, operate) => {
    const network = toNetwork(address)
    const { giveBack } = await reserve([
      { limiter, key: toFoldedKey(network, route), onRefused: listenFor({ limit: 'tokens', network }) },
    ])
    const result = await operate().catch(async (failure: unknown) => {
      if (!isRefusedToken(failure)) await giveBack()
      throw failure
    })
    await giveBack()
    return result
  }
}

const isRefusedToken = (failure: unknown): boolean =>
  isAuthError(failure) &&
  (failure.code === 'jwt_auth_invalid_token' || failure.code === 'jwt_auth_invalid_refresh_token')

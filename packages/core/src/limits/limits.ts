import { toNetwork } from '../network.js'
import { createLimitKeys } from './limit-key.js'
import { createLimiterMaker, type LimiterParts } from './limiter-maker.js'
import { createLoginLimits, type LimitPasswordCheck, type LoginLimitParts } from './login-limits.js'
import type { LimitExceeded, RateLimitPolicy } from './rate-limits.js'
import { createRefusalListener } from './refusal.js'
import { createTokenLimits, type LimitTokens } from './token-limits.js'

/** Everything that is limited. The guard is not limited: nothing can be guessed there, and every request passes it. */
export interface Limits {
  readonly limitPasswordCheck: LimitPasswordCheck
  readonly limitTokens: LimitTokens
}

const noLimits: Limits = {
  limitPasswordCheck: ({ user, address, signal }, check) =>
    check(user, { isKnown: false, network: toNetwork(address), signal }),
  limitTokens: (_route, _address, operate) => operate(),
}

/** Creates the limits. `undefined` limits nothing. */
export const createLimits = (
  policy: RateLimitPolicy | undefined,
  parts: LimiterParts &
    Pick<LoginLimitParts, 'closing' | 'isRefusedForNetwork' | 'startTimer'> & {
      readonly keySecret: Buffer
      readonly onRefused: (refusal: LimitExceeded) => void
    },
): Limits => {
  if (policy === undefined) return noLimits
  const keys = createLimitKeys(parts.keySecret)
  const listenFor = createRefusalListener(parts.now, parts.onRefused)
  const makeLimiter = createLimiterMaker(policy.limiter, parts)
  const limitParts = { ...parts, makeLimiter, keys, listenFor }
  return {
    limitPasswordCheck: createLoginLimits(policy, limitParts),
    limitTokens: createTokenLimits(policy, limitParts),
  }
}

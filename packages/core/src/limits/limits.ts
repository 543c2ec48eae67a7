import { createLimitKeys } from './limit-key.js'
import { createLimiterMaker, type LimiterParts } from './limiter-maker.js'
import { createLoginLimits, type LimitLogin } from './login-limits.js'
import { toNetwork } from './network.js'
import type { RateLimitPolicy } from './rate-limit-policy.js'
import { createRefusalListener, type Refusal } from './refusal.js'
import { createTokenLimits, type LimitTokens } from './token-limits.js'

/** Everything that is limited. The guard is not: it has nothing that could be guessed, and is on every request's way. */
export interface Limits {
  readonly limitLogin: LimitLogin
  readonly limitTokens: LimitTokens
}

const noLimits: Limits = {
  limitLogin: ({ address }, logIn) => logIn({ isKnown: false, network: toNetwork(address) }),
  limitTokens: (_route, _address, operate) => operate(),
}

/** Sets the limits up; `undefined` is a host that wants none. */
export const createLimits = (
  policy: RateLimitPolicy | undefined,
  parts: LimiterParts & { readonly keySecret: Buffer; readonly onRefused: (refusal: Refusal) => void },
): Limits => {
  if (policy === undefined) return noLimits
  const keys = createLimitKeys(parts.keySecret)
  const listenFor = createRefusalListener(parts.now, parts.onRefused)
  const makeLimiter = createLimiterMaker(policy.limiter, parts)
  const limitParts = { makeLimiter, keys, now: parts.now, listenFor }
  return {
    limitLogin: createLoginLimits(policy, limitParts),
    limitTokens: createTokenLimits(policy, limitParts),
  }
}

import type { LimiterState } from './limiter.js'
import type { RateLimitPolicy, RateLimits } from './rate-limit-policy.js'

/** A limit that was reached, and by whom. */
export interface Refusal {
  readonly limit: keyof RateLimits
  /** An IPv4 address, the /64 of an IPv6 address, or `unknown`. Never a user name: people type passwords there. */
  readonly network: string
}

/** Makes the function that tells of the first refusal of each window: a flood must not become a flood of events. */
export const createRefusalListener =
  (policy: RateLimitPolicy, onRefused: (refusal: Refusal) => void) =>
  (refusal: Refusal): ((state: LimiterState) => void) =>
  ({ consumedPoints }) => {
    if (consumedPoints === policy[refusal.limit].points + 1) onRefused(refusal)
  }

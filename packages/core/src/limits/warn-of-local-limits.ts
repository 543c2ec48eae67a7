import type { SessionStorage } from '../ports/session-storage.js'
import type { RateLimitPolicy } from './rate-limits.js'

let hasWarned = false

/** Warns once per process when attempts are counted in memory while the sessions are stored outside of the process. */
export const warnOfLocalLimits = (policy: RateLimitPolicy | undefined, { isInProcess }: SessionStorage): void => {
  if (hasWarned || policy === undefined || policy.limiter !== undefined || isInProcess === true) return
  hasWarned = true
  process.emitWarning(
    'jwt-auth: failed logins are counted in the memory of this process, but its sessions are stored outside of it. Other instances do not see the counts, and a restart forgets them. Set `rateLimits: { limiter: knexLimits(knex) }`, or redisLimits(client), or a limiter of rate-limiter-flexible for another store.',
    { type: 'JwtAuthWarning', code: 'JWT_AUTH_LOCAL_LIMITS' },
  )
}

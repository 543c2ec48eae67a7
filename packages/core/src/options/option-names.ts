import type { TokenServiceOptions } from './token-service-options.js'

/** The names of the options of a token service. Complete by its type: a new option must be listed here. */
export const tokenServiceOptionNames: Record<keyof TokenServiceOptions, true> = {
  secret: true,
  issuer: true,
  formerIssuers: true,
  users: true,
  storage: true,
  audience: true,
  algorithm: true,
  keys: true,
  serviceSecret: true,
  accessTokenLifetimeSeconds: true,
  sessionIdleTimeoutSeconds: true,
  sessionAbsoluteTimeoutSeconds: true,
  refreshGraceSeconds: true,
  endSessionOnRepeatFromOtherNetwork: true,
  clockToleranceSeconds: true,
  storageTimeoutMs: true,
  maxSessionsPerUser: true,
  purgeIntervalSeconds: true,
  rateLimits: true,
  claims: true,
  onError: true,
  onEvent: true,
  system: true,
}

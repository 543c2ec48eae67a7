import { optionError } from '../errors/option-error.js'
import { sessionStorageMethods } from '../ports/session-storage.js'
import {
  checkOptionNames,
  readBoolean,
  readFunction,
  readInteger,
  readOptionalInteger,
  readPort,
  readText,
} from './option-checks.js'
import { readIssuers } from './read-issuers.js'
import { readKeyRing } from './read-key-ring.js'
import { readRateLimits } from './read-rate-limits.js'
import { readServiceSecrets } from './read-service-secrets.js'
import { readSystem } from './read-system.js'
import { createStderrReport } from './report-to-stderr.js'
import type { ResolvedOptions, TokenServiceOptions } from './token-service-options.js'

const seconds = 'seconds'
const day = 24 * 60 * 60
// Complete by its type: an option that is added has to be added here.
const optionNames: Record<keyof TokenServiceOptions, true> = {
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

const tenYears = 3_650 * day

/**
 * The only place with defaults and checks. Throws a `TypeError` that names the option, what was expected and what came;
 * never a secret.
 */
export const resolveOptions = (options: TokenServiceOptions): ResolvedOptions => {
  if (typeof options !== 'object' || options === null) throw optionError('options', 'an object', options)
  checkOptionNames(options, optionNames, 'jwtAuth')
  const system = readSystem(options.system)
  const serviceSecrets = readServiceSecrets(options.serviceSecret)
  return Object.freeze({
    keyRing: readKeyRing(options, serviceSecrets),
    serviceSecrets,
    ...readIssuers(options),
    users: readPort('users', options.users, ['findByUsername', 'findById', 'verifyPassword']),
    storage: readPort('storage', options.storage, sessionStorageMethods),
    audience: options.audience === undefined ? undefined : readText('audience', options.audience, 'a non-empty string'),
    accessTokenLifetimeSeconds: readInteger('accessTokenLifetimeSeconds', options.accessTokenLifetimeSeconds, {
      min: 1,
      max: 30 * day,
      default: 3_600,
      unit: seconds,
    }),
    sessionIdleTimeoutSeconds: readInteger('sessionIdleTimeoutSeconds', options.sessionIdleTimeoutSeconds, {
      min: 1,
      max: tenYears,
      default: 30 * day,
      unit: seconds,
    }),
    sessionAbsoluteTimeoutSeconds: readInteger('sessionAbsoluteTimeoutSeconds', options.sessionAbsoluteTimeoutSeconds, {
      min: 1,
      max: tenYears,
      default: 90 * day,
      unit: seconds,
    }),
    refreshGraceSeconds: readInteger('refreshGraceSeconds', options.refreshGraceSeconds, {
      min: 0,
      max: 300,
      default: 30,
      unit: seconds,
    }),
    endSessionOnRepeatFromOtherNetwork: readBoolean(
      'endSessionOnRepeatFromOtherNetwork',
      options.endSessionOnRepeatFromOtherNetwork,
    ),
    clockToleranceSeconds: readInteger('clockToleranceSeconds', options.clockToleranceSeconds, {
      min: 0,
      max: 60,
      default: 0,
      unit: seconds,
    }),
    storageTimeoutMs: readInteger('storageTimeoutMs', options.storageTimeoutMs, {
      min: 10,
      max: 60_000,
      default: 1_000,
      unit: 'milliseconds',
    }),
    maxSessionsPerUser: readInteger('maxSessionsPerUser', options.maxSessionsPerUser, {
      min: 1,
      max: 1_000,
      default: 50,
      unit: 'sessions',
    }),
    purgeIntervalSeconds: readOptionalInteger('purgeIntervalSeconds', options.purgeIntervalSeconds, {
      min: 60,
      max: 7 * day,
      unit: seconds,
    }),
    rateLimits: readRateLimits(options.rateLimits),
    claims: readFunction('claims', options.claims, () => ({})),
    onError: readFunction('onError', options.onError, createStderrReport(system)),
    onEvent: readFunction('onEvent', options.onEvent, () => {}),
    system,
  })
}

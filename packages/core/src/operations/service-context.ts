import { createHostData } from '../access-token/host-claims.js'
import { createAccessTokenSigner } from '../access-token/sign-access-token.js'
import { createAccessTokenVerifier } from '../access-token/verify-access-token.js'
import { createCallInTime } from '../call-in-time.js'
import { createCheckedStorage } from '../checked/checked-storage.js'
import { createCheckedUsers } from '../checked/checked-users.js'
import { createDpop } from '../dpop/check-proof.js'
import { AuthError } from '../errors/auth-error.js'
import { createEmitter, createReporter } from '../events/listeners.js'
import { createFairQueue, createQueueOfKeys } from '../fair-queue.js'
import { createReplaceableKeyRing, deriveLimitSecret } from '../keys/key-ring.js'
import { createLimits } from '../limits/limits.js'
import type { ResolvedOptions } from '../options/resolve-options.js'
import { createDeadline } from '../system.js'
import { createClockWatch, createReuseCounter } from './refresh-watch.js'

// More would lose one swap after the other. Fewer would make a burst wait long for a slow storage.
const maxRefreshesOfSession = 4

// Anyone can send tokens of no session, and a flood of them must not fill the pool of connections.
// Fewer would refuse a burst of refreshes of users while the storage is on another machine.
const maxRefreshLookups = 32

/**
 * Creates what the operations of one service share.
 *
 * @param closing Aborts when the service is closed, so that long operations can end early.
 */
export const createServiceContext = (options: ResolvedOptions, closing: AbortSignal) => {
  const { system, issuer, issuers, serviceSecrets } = options
  const emit = createEmitter(options.onEvent, (error) => report(error))
  const { report, reportFault, reportDifference } = createReporter(options.onError, emit, system)
  const runInTime = createDeadline(options.callTimeoutMs, system)
  const callInTime = createCallInTime(runInTime)
  const keyRing = createReplaceableKeyRing(options.keyRing)
  const limitSecret = deriveLimitSecret(serviceSecrets[0], issuer)
  const storage = createCheckedStorage(options.storage, {
    issuers,
    runInTime,
    monotonicMs: system.monotonicMs,
    report,
    reportDifference,
    onPrimaryChange: (change) => emit({ type: 'storage_primary_changed', ...change, at: new Date(system.now()) }),
  })
  return {
    closing,
    report,
    reportFault,
    emit,
    system,
    policy: options,
    issuer,
    keyRing,
    users: createCheckedUsers(options.users, runInTime, reportFault),
    storage,
    verifyAccessToken: createAccessTokenVerifier({ ...options, keyRing, reportFault, reportDifference }),
    getHostClaims: createHostData('claims', options.claims, { callInTime, reportFault }),
    getProfile: createHostData('profile', options.profile, { callInTime, reportFault }),
    signAccessToken: createAccessTokenSigner(keyRing, runInTime),
    dpop: options.dpop && createDpop(options.dpop, serviceSecrets, { ...system, reportFault }),
    callInTime,
    limits: createLimits(options.rateLimits, limitSecret, {
      ...system,
      closing,
      runInTime,
      report,
      onExceeded: (exceeded) => emit({ type: 'rate_limited', ...exceeded, at: new Date(system.now()) }),
    }),
    countReuse: createReuseCounter(),
    queueRefresh: createQueueOfKeys(maxRefreshesOfSession),
    refreshLookups: createFairQueue(maxRefreshLookups, {
      startTimer: system.startTimer,
      queueTimeoutMs: options.callTimeoutMs,
      toError: () =>
        new AuthError('jwt_auth_unavailable', {
          detail: 'more refreshes arrive than the storage can look up in time: start more processes',
        }),
    }),
    watchClock: createClockWatch(emit, reportDifference, options.clockToleranceSeconds),
  }
}

/** What the operations of one service share. */
export type ServiceContext = ReturnType<typeof createServiceContext>

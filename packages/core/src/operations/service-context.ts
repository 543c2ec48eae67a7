import { createHostClaims, type GetHostClaims } from '../access-token/host-claims.js'
import { createAccessTokenSigner, requireMatchingKeys } from '../access-token/sign-access-token.js'
import { createAccessTokenVerifier, type VerifyAccessToken } from '../access-token/verify-access-token.js'
import { type CallInTime, createCallInTime } from '../checked/call-in-time.js'
import { type CheckedStorage, createCheckedStorage } from '../checked/checked-storage.js'
import { type CheckedUsers, createCheckedUsers } from '../checked/checked-users.js'
import type { AuthEvent } from '../events/auth-event.js'
import { createEmitter, createReporter, type EmitEvent, type Reporter } from '../events/listeners.js'
import { createReplaceableKeyRing, deriveLimitSecret, type ReplaceableKeyRing } from '../keys/key-ring.js'
import { createLimits, type Limits } from '../limits/limits.js'
import type { ResolvedOptions } from '../options/resolve-options.js'
import type { SessionPolicy } from '../session/session-record.js'
import { createDeadline, type System } from '../system.js'
import { calls, trace } from '../tracing.js'
import { createTokenIssuer, type IssueTokens } from './issue-tokens.js'
import { type CountRepeat, createClockWatch, createRepeatCounter, type WatchClock } from './refresh-watch.js'

/** Runs work of one service until it is closed. */
export interface InFlight {
  /**
   * Runs work.
   *
   * @throws AuthError `jwt_auth_unavailable`, and runs nothing, after the service was closed
   */
  readonly run: <Context, T>(work: (context: Context) => Promise<T>, context: Context) => Promise<T>
  /** Aborts when the service is closed, so that long operations can end early. */
  readonly closing: AbortSignal
  /** Stops accepting work. Resolves when none is in flight. */
  readonly close: () => Promise<void>
}

/** What the operations of one service share. */
export interface ServiceContext extends Reporter, Pick<InFlight, 'closing'> {
  /**
   * Runs an operation with the context of the service.
   *
   * @param operation The name of the method of the service, for traces.
   * @throws AuthError `jwt_auth_unavailable`, and runs nothing, after the service was closed
   */
  readonly run: <T>(operation: string, work: (context: ServiceContext) => Promise<T>) => Promise<T>
  readonly system: System
  readonly policy: SessionPolicy
  readonly issuer: string
  readonly keyRing: ReplaceableKeyRing
  readonly users: CheckedUsers
  readonly storage: CheckedStorage
  readonly verifyAccessToken: VerifyAccessToken
  readonly issueTokens: IssueTokens
  readonly callInTime: CallInTime
  readonly getHostClaims: GetHostClaims
  readonly limits: Limits
  readonly countRepeat: CountRepeat
  readonly watchClock: WatchClock
  readonly emit: EmitEvent
}

/** Creates the context of one service. */
export const createServiceContext = (options: ResolvedOptions, { run, closing }: InFlight): ServiceContext => {
  const { system, issuer } = options
  const emit = createEmitter(options.onEvent, (error) => report(error))
  const { report, reportFault } = createReporter(options.onError, emit, system)
  const runInTime = createDeadline(options.storageTimeoutMs, system.startTimer)
  const callInTime = createCallInTime(runInTime)
  const keyRing = createReplaceableKeyRing(requireMatchingKeys(options.keyRing))
  const issuers = [issuer, ...options.formerIssuers]
  const storage = createCheckedStorage(options.storage, {
    issuers,
    runInTime,
    now: system.now,
    report,
    onPrimaryChange: (change) => emit({ type: 'storage_primary_changed', ...change, at: new Date(system.now()) }),
  })
  const signAccessToken = createAccessTokenSigner(keyRing, runInTime)
  const context: ServiceContext = {
    run: (operation, work) => {
      if (!calls.operation.hasSubscribers) return run(work, context)
      const events: AuthEvent[] = []
      const emitTraced: EmitEvent = (event) => {
        events.push(event)
        emit(event)
      }
      return trace(calls.operation, { operation, events }, () => run(work, { ...context, emit: emitTraced }))
    },
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
    verifyAccessToken: createAccessTokenVerifier({ ...options, keyRing, reportFault }),
    issueTokens: createTokenIssuer({ ...options, ...system, signAccessToken }),
    callInTime,
    getHostClaims: createHostClaims(options.claims, { callInTime, reportFault }),
    limits: createLimits(options.rateLimits, {
      ...system,
      closing,
      keySecret: deriveLimitSecret(keyRing.serviceSecrets[0], options.rateLimits?.directory ?? issuer),
      runInTime,
      report,
      onExceeded: (exceeded) => emit({ type: 'rate_limited', ...exceeded, at: new Date(system.now()) }),
    }),
    countRepeat: createRepeatCounter(),
    watchClock: createClockWatch(emit),
  }
  return context
}

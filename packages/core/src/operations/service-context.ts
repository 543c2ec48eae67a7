import { createAccessTokenVerifier, type VerifyAccessToken } from '../access-token/verify-access-token.js'
import { isRefusedForNetwork } from '../errors/hashing-refusal.js'
import { createReplaceableKeyRing, deriveLimitSecret, type ReplaceableKeyRing } from '../keys/key-ring.js'
import { createLimits, type Limits } from '../limits/limits.js'
import type { ResolvedOptions } from '../options/token-service-options.js'
import { type CheckedUsers, createCheckedUsers } from '../ports/checked-users.js'
import { createOwnSessions, type OwnSessions } from '../ports/own-sessions.js'
import { createCoalescedLookup, type FindSession } from '../session/coalesced-lookup.js'
import type { SessionPolicy } from '../session/session-record.js'
import { createDeadline, type System } from '../system.js'
import { createHostClaims, createTokenIssuer, type GetHostClaims, type IssueTokens } from './issue-tokens.js'
import {
  type CallInTime,
  createCallInTime,
  createEmitter,
  createReporter,
  type EmitEvent,
  type Reporter,
} from './listeners.js'
import { type CountRepeat, createClockWatch, createRepeatCounter, type WatchClock } from './refresh-watch.js'
import { createAccessTokenSigner, proveKeyRing } from './sign-access-token.js'

/** Runs the operations of one service until it is closed. */
export interface OperationRunner {
  /**
   * Runs an operation.
   *
   * @throws AuthError `jwt_auth_unavailable`, and runs nothing, after the service was closed
   */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>
  /** Aborts when the service is closed, so that long operations can end early. */
  readonly closing: AbortSignal
}

/** What the operations of one service share. */
export interface ServiceContext extends Reporter, OperationRunner {
  readonly system: System
  readonly policy: SessionPolicy
  readonly issuer: string
  readonly keyRing: ReplaceableKeyRing
  readonly users: CheckedUsers
  readonly storage: OwnSessions
  /** Finds a session for the guard: alone, or in a batch with others. */
  readonly findSession: FindSession
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
export const createServiceContext = (options: ResolvedOptions, { run, closing }: OperationRunner): ServiceContext => {
  const { system, issuer } = options
  const emit = createEmitter(options.onEvent, (error) => report(error))
  const { report, reportFault } = createReporter(options.onError, emit, system)
  const runInTime = createDeadline(options.storageTimeoutMs, system.startTimer)
  const callInTime = createCallInTime(runInTime)
  const keyRing = createReplaceableKeyRing(proveKeyRing(options.keyRing))
  const issuers = [issuer, ...options.formerIssuers]
  const storage = createOwnSessions(options.storage, { issuers, runInTime, now: system.now })
  const signAccessToken = createAccessTokenSigner(keyRing, runInTime)
  return {
    run,
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
    findSession:
      options.storage.batchLookups === false ? storage.findById : createCoalescedLookup(storage.findByIds, runInTime),
    verifyAccessToken: createAccessTokenVerifier({ ...options, keyRing, reportFault }),
    issueTokens: createTokenIssuer({ ...options, ...system, signAccessToken }),
    callInTime,
    getHostClaims: createHostClaims(options.claims, { callInTime, reportFault }),
    limits: createLimits(options.rateLimits, {
      ...system,
      closing,
      isRefusedForNetwork,
      keySecret: deriveLimitSecret(keyRing.serviceSecrets[0], options.rateLimits?.directory ?? issuer),
      runInTime,
      report,
      onExceeded: (exceeded) => emit({ type: 'rate_limited', ...exceeded, at: new Date(system.now()) }),
    }),
    countRepeat: createRepeatCounter(),
    watchClock: createClockWatch(emit),
  }
}

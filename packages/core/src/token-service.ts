import type { Auth } from './access-token/auth.js'
import { proveKeyRing } from './access-token/prove-key-ring.js'
import { createAccessTokenVerifier } from './access-token/verify-access-token.js'
import type { AuthError } from './errors/auth-error.js'

import type { KeyEntry } from './keys/key-entry.js'
import {
  createReplaceableKeyRing,
  deriveLimitSecret,
  type JsonWebKeySet,
  type KeyRing,
  toJsonWebKeySet,
} from './keys/key-ring.js'
import { readKeys } from './keys/read-key-ring.js'
import { createLimits, warnOfLocalLimits } from './limits/limits.js'
import { authenticate, type Credentials, type LoginOrigin } from './operations/authenticate.js'
import { authorize, authorizeUser, findAuthorizedUser, validate } from './operations/authorize.js'
import { checkPassword, type PasswordOrigin } from './operations/check-password.js'
import { createClockWatch } from './operations/clock-watch.js'
import { createEmitter, type EmitEvent } from './operations/emit-event.js'
import { createInFlight, type InFlight } from './operations/in-flight.js'
import { createAccessTokenIssuer } from './operations/issue-access-token.js'
import type { AuthenticationResult } from './operations/issue-tokens.js'
import { purgeRegularly } from './operations/purge-regularly.js'
import { createHostClaimsReader } from './operations/read-host-claims.js'
import { type RefreshOrigin, refresh } from './operations/refresh.js'
import { createRepeatCounter } from './operations/repeat-counter.js'
import { createReporter, type Reporter } from './operations/reporter.js'
import { type Revocation, revoke } from './operations/revoke.js'
import type { ServiceContext } from './operations/service-context.js'
import { createSessions, type Sessions } from './operations/sessions.js'
import { createAccessTokenSigner } from './operations/sign-access-token.js'
import { resolveOptions } from './options/resolve-options.js'
import type { ResolvedOptions, TokenServiceOptions } from './options/token-service-options.js'
import { isRefusedForNetwork } from './passwords/hashing-refusal.js'
import { createCheckedStorage } from './ports/checked-storage.js'
import { createCheckedUsers } from './ports/checked-users.js'
import { createDeadline } from './ports/deadline.js'
import { createOwnSessions } from './ports/own-sessions.js'
import type { User, UserId } from './ports/user-directory.js'
import { createCoalescedLookup } from './session/coalesced-lookup.js'
import { createSingleLookup } from './session/single-lookup.js'

/**
 * The operations of the service, without HTTP. Each operation takes plain values and throws an {@link AuthError}. Operations that a
 * client may call take the client's address, and are limited by it.
 */
export interface TokenService {
  /**
   * Exchanges a user name and a password for a pair of tokens, and opens a session.
   *
   * @throws {@link AuthError} `jwt_auth_failed` for an unknown user, a wrong password and a disabled user alike; `jwt_auth_rate_limited`
   * when a limit is used up; `jwt_auth_unavailable` when users or storage fail
   */
  readonly authenticate: (credentials: Credentials, origin?: LoginOrigin) => Promise<AuthenticationResult>
  /**
   * Checks the password of a signed-in user again, before a sensitive change, within the limits of logins. Resolves to whether the
   * password is right.
   */
  readonly checkPassword: (userId: UserId, password: unknown, origin?: PasswordOrigin) => Promise<boolean>
  /**
   * Exchanges a refresh token for a new pair of tokens. A replayed refresh token ends its session.
   *
   * @throws {@link AuthError} `jwt_auth_invalid_refresh_token` when the refresh token is invalid; `jwt_auth_rate_limited` when a limit is
   * used up; `jwt_auth_unavailable` when users or storage fail
   */
  readonly refresh: (refreshToken: string, origin?: RefreshOrigin) => Promise<AuthenticationResult>
  /**
   * Checks an access token and its session. Resolves to the user, the session and the claims.
   *
   * @throws {@link AuthError} `jwt_auth_invalid_token` when the token is invalid or its session has ended; `jwt_auth_unavailable` when the
   * storage fails
   */
  readonly authorize: (accessToken: string) => Promise<Auth>
  /**
   * Makes the check of `authorize` for a client, within the limits.
   *
   * @throws {@link AuthError} as `authorize`, and `jwt_auth_rate_limited` when the limit is used up
   */
  readonly validate: (accessToken: string, address?: string) => Promise<Auth>
  /**
   * Finds the user of an access token, within the limits.
   *
   * @throws {@link AuthError} as `validate`, and `jwt_auth_invalid_token` when the user does not exist or is disabled
   */
  readonly findAuthorizedUser: (accessToken: string, address?: string) => Promise<User>
  /** The check of `authorize`, which also refuses a user who does not exist or is disabled. Looks the user up. */
  readonly authorizeUser: (accessToken: string) => Promise<Auth>
  /**
   * Ends the session of an access token. From then on all tokens of the session are rejected.
   *
   * @throws {@link AuthError} `jwt_auth_invalid_token`, `jwt_auth_token_not_found` or `jwt_auth_token_already_revoked` when there is no
   * active session; `jwt_auth_revoke_failed` when the storage did not confirm the end; `jwt_auth_rate_limited` when the limit is used up
   */
  readonly revoke: (accessToken: string, address?: string) => Promise<Revocation>
  /** Lists, opens and ends sessions, and deletes expired ones. */
  readonly sessions: Sessions
  /**
   * Replaces all keys in one step. Takes what the option `keys` takes, also if the service was created with `secret`. Operations that
   * start later reject access tokens of a removed key. Sessions and refresh tokens stay.
   *
   * @throws TypeError, and changes nothing, when a key is wrong, or when it would switch between secrets and key pairs
   */
  readonly setKeys: (keys: readonly KeyEntry[]) => void
  /**
   * Returns the public keys, the active key first.
   *
   * @throws TypeError for a service with secrets
   */
  readonly jwks: () => JsonWebKeySet
  /**
   * Reports a failure to `onError`. Refusals of the hashing queue are reported once a minute, with a `login_overload` event.
   * Never throws.
   */
  readonly report: (error: AuthError) => void
  /** Stops accepting operations, which then fail with 503, and waits for those in flight. Does not close your database clients. */
  readonly close: () => Promise<void>
}

/**
 * Creates a token service.
 *
 * @throws TypeError that names the wrong option
 * @example
 * ```ts
 * const service = createTokenService({ secret, issuer: 'https://api.example.com', users, storage })
 * const { accessToken, refreshToken } = await service.authenticate({ username, password })
 * ```
 */
export const createTokenService = (options: TokenServiceOptions): TokenService => {
  const resolved = resolveOptions(options)
  warnOfLocalLimits(resolved.rateLimits, resolved.storage)
  const { onError, onEvent, system } = resolved
  const emit = createEmitter(onEvent, (error) => report(error))
  const reporter = createReporter({ onError, emit, now: system.now })
  const { report } = reporter
  const keyRing = createReplaceableKeyRing(proveKeyRing(resolved.keyRing))
  const { run, closing, close } = createInFlight()
  const context = assemble(resolved, { keyRing, reporter, emit, closing })
  const sessions = drained(createSessions(context), run)
  const stopPurging = startPurging(sessions, resolved, report)
  return {
    authenticate: (credentials, origin = {}) => run(() => authenticate(context, credentials, origin)),
    checkPassword: (userId, password, origin = {}) => run(() => checkPassword(context, { userId, password }, origin)),
    refresh: (refreshToken, origin = {}) => run(() => refresh(context, refreshToken, origin)),
    authorize: (accessToken) => run(() => authorize(context, accessToken)),
    authorizeUser: (accessToken) => run(() => authorizeUser(context, accessToken)),
    validate: (accessToken, address) => run(() => validate(context, accessToken, address)),
    findAuthorizedUser: (accessToken, address) => run(() => findAuthorizedUser(context, accessToken, address)),
    revoke: (accessToken, address) => run(() => revoke(context, accessToken, address)),
    sessions,
    setKeys: (keys) => keyRing.replace(proveKeyRing(readKeys(keys, resolved.serviceSecrets))),
    jwks: () => toJsonWebKeySet(keyRing),
    report,
    close: () => {
      stopPurging()
      return close()
    },
  }
}

const startPurging = (
  sessions: Sessions,
  { purgeIntervalSeconds, system }: ResolvedOptions,
  report: (error: AuthError) => void,
): (() => void) => {
  if (purgeIntervalSeconds === undefined) return () => {}
  return purgeRegularly(() => sessions.purge(), purgeIntervalSeconds, { startTimer: system.startTimer, report })
}

const assemble = (
  options: ResolvedOptions,
  {
    keyRing,
    reporter: { report, reportFault },
    emit,
    closing,
  }: {
    readonly keyRing: KeyRing
    readonly reporter: Reporter
    readonly emit: EmitEvent
    readonly closing: AbortSignal
  },
): ServiceContext => {
  const runInTime = createDeadline(options.storageTimeoutMs, options.system.startTimer)
  const issuers = [options.issuer, ...options.formerIssuers]
  const storage = createOwnSessions(createCheckedStorage(options.storage, runInTime, options.system.now), issuers)
  const token = {
    keyRing,
    signAccessToken: createAccessTokenSigner(keyRing, runInTime),
    issuer: options.issuer,
    formerIssuers: options.formerIssuers,
    audience: options.audience,
    accessTokenLifetimeSeconds: options.accessTokenLifetimeSeconds,
    clockToleranceSeconds: options.clockToleranceSeconds,
  }
  return {
    system: options.system,
    policy: options,
    keyRing,
    users: createCheckedUsers(options.users, { runInTime, reportFault }),
    issuer: options.issuer,
    storage,
    findSession:
      options.storage.needsNoBatching === true
        ? createSingleLookup(storage.findByIds)
        : createCoalescedLookup(storage.findByIds, runInTime),
    verifyAccessToken: createAccessTokenVerifier(token),
    issueAccessToken: createAccessTokenIssuer(token, options.system.randomBytes),
    readHostClaims: createHostClaimsReader(options.claims, runInTime),
    emit,
    reportFault,
    limits: createLimits(options.rateLimits, {
      ...options.system,
      closing,
      isRefusedForNetwork,
      keySecret: deriveLimitSecret(keyRing.serviceSecrets[0], options.issuer),
      runInTime,
      report,
      onExceeded: (exceeded) => emit({ type: 'rate_limited', ...exceeded, at: new Date(options.system.now()) }),
    }),
    countRepeat: createRepeatCounter(),
    watchClock: createClockWatch(emit),
    closing,
  }
}

const drained = (sessions: Sessions, run: InFlight['run']): Sessions => ({
  create: (userId, device) => run(() => sessions.create(userId, device)),
  list: (userId) => run(() => sessions.list(userId)),
  revoke: (session) => run(() => sessions.revoke(session)),
  revokeAll: (userId, options) => run(() => sessions.revokeAll(userId, options)),
  revokeIssuedBefore: (instant) => run(() => sessions.revokeIssuedBefore(instant)),
  purge: (options) => run(() => sessions.purge(options)),
})

import { type AuthenticationResult, isAuthError, type SessionSummary, type TokenService } from '@jwt-auth/core'
import type { DpopRequest } from '@jwt-auth/core/internal'
import { createProver, type DpopProver } from '@jwt-auth/test-support/dpop-prover'
import { testIssuer } from '@jwt-auth/test-support/test-service'
import { type ModelUserId, passwordOf, usernameOf } from './host-users.js'
import {
  createKnownTokens,
  judgeResult,
  type KnownAccessToken,
  type KnownRefreshToken,
  type KnownTokens,
  toRefusal,
  toRevoked,
} from './known-tokens.js'
import {
  authorizing,
  endingWithOthers,
  listing,
  loggingOut,
  perhaps,
  refreshing,
  revoking,
  stealing,
} from './operations.js'
import type { Plan, RunningOperations } from './running-operations.js'
import type { WatchedSession, World } from './world.js'

/**
 * The clients of the service, with the tokens that they received, and the application. Each method
 * starts one operation.
 */
export type Clients = ReturnType<typeof createClients>

/** What somebody does with a token. */
type TokenUse =
  | { readonly kind: 'refresh'; readonly token: KnownRefreshToken }
  | { readonly kind: 'authorize' | 'revoke'; readonly token: KnownAccessToken }

/** The key of the clients whose sessions are bound. */
const clientKey = createProver('EdDSA')

/** The key of somebody who copied a token. */
const thiefKey = createProver('EdDSA')

/** Creates clients without tokens. */
export const createClients = ({ world, start }: RunningOperations) => {
  const tokens = createKnownTokens(world)
  return {
    refreshTokens: tokens.refreshTokens,
    accessTokens: tokens.accessTokens,
    logIn: (instance: string, userId: ModelUserId, version: number): void => {
      const now = world.clocks.timeOf(instance)
      start(instance, planLogin({ world, tokens, now }, userId, version))
    },
    refresh: (instance: string, token: KnownRefreshToken): void =>
      start(instance, planRefresh({ world, tokens, now: world.clocks.timeOf(instance) }, token)),
    /** Uses a token of a bound session without its key: with another key, or without a proof. */
    steal: (instance: string, use: TokenUse, hasKey: boolean): void => {
      if (use.token.session.isBound) start(instance, planTheft(use, world.clocks.timeOf(instance), hasKey))
    },
    authorize: (instance: string, token: KnownAccessToken): void =>
      start(instance, planAuthorize(token, world.clocks.timeOf(instance))),
    revoke: (instance: string, token: KnownAccessToken): void =>
      start(instance, planRevoke(token, world.clocks.timeOf(instance))),
    logOut: (instance: string, token: KnownRefreshToken): void => start(instance, planLogout(token)),
    revokeAll: (instance: string, userId: ModelUserId): void => start(instance, planRevokeAll(world, userId)),
    list: (instance: string, userId: ModelUserId): void => start(instance, planList(world, userId)),
    purge: (instance: string): void => start(instance, purge),
  }
}

/** What a client knows. */
interface Knowledge {
  readonly world: World
  readonly tokens: KnownTokens
  /** The time on the clock of the instance. */
  readonly now: number
}

const planLogin = (
  { world, tokens, now }: Knowledge,
  userId: ModelUserId,
  version: number,
): Plan<AuthenticationResult> => {
  const before = world.users.find(userId)
  // Every second session is bound.
  const isBound = world.sessions.length % 2 === 0
  const isRight = before !== undefined && !before.isDisabled && before.version === version
  return {
    title: `user ${userId} logs in with ${passwordOf(version)}`,
    typedVersion: version,
    run: async (service) => {
      const credentials = { username: usernameOf(userId), password: passwordOf(version) }
      return service.login(credentials, isBound ? { dpop: await proveTo(service, clientKey, { now }) } : {})
    },
    judge: (outcome, { opened, number }) => {
      if (opened !== undefined) return tokens.judgeGrant(opened, number, outcome)
      if ('value' in outcome) return 'the session of the result is not stored'
      const isUnchanged = world.users.find(userId) === before
      return isRight && isUnchanged ? 'the right password is refused' : undefined
    },
  }
}

const planRefresh = (
  { world, tokens, now }: Knowledge,
  { session, text, name }: KnownRefreshToken,
): Plan<AuthenticationResult> => ({
  title: `refreshes with ${name}`,
  about: [[session, refreshing(text)]],
  run: async (service) =>
    service.refresh(text, session.isBound ? { dpop: await proveTo(service, clientKey, { now }) } : {}),
  judge: (outcome, { number }) =>
    // Another write of unknown result may have stored what the refresh read. Only a write of its
    // own confirms it.
    'value' in outcome && !world.rotating.has(number)
      ? 'it returns tokens without a write that confirms them'
      : tokens.judgeGrant(session, number, outcome),
})

const planTheft = ({ kind, token }: TokenUse, now: number, hasKey: boolean): Plan<unknown> => ({
  title: `a thief calls ${kind} with ${token.name} and ${hasKey ? 'another key' : 'no proof'}`,
  about: [[token.session, stealing]],
  run: async (service) => {
    const accessToken = kind === 'refresh' ? {} : { accessToken: token.text }
    return service[kind](token.text, hasKey ? { dpop: await proveTo(service, thiefKey, { now, ...accessToken }) } : {})
  },
  judge: (outcome, { number }) => {
    if ('value' in outcome) return 'a token works without the key of its session'
    return judgeResult(
      token.session,
      number,
      thiefRefusals[kind].includes(outcome.code) ? { kind: 'refused' } : undefined,
    )
  },
})

const thiefRefusals: Readonly<Record<TokenUse['kind'], readonly string[]>> = {
  refresh: ['jwt_auth_invalid_dpop_proof', 'jwt_auth_invalid_refresh_token'],
  authorize: ['jwt_auth_invalid_token'],
  revoke: ['jwt_auth_invalid_token'],
}

const proveIfBound = async (service: TokenService, { session, text }: KnownAccessToken, now: number) =>
  session.isBound ? { dpop: await proveTo(service, clientKey, { now, accessToken: text }) } : {}

const planAuthorize = (token: KnownAccessToken, now: number): Plan<unknown> => ({
  title: `sends a guarded request with ${token.name}`,
  about: [[token.session, authorizing(token.exp)]],
  looksUp: token.session,
  run: async (service) => service.authorize(token.text, await proveIfBound(service, token, now)),
  judge: (outcome, { number }) =>
    judgeResult(token.session, number, 'value' in outcome ? { kind: 'authenticated' } : toRefusal(outcome)),
})

const planRevoke = (token: KnownAccessToken, now: number): Plan<{ readonly revokedAt: Date }> => ({
  title: `revokes with ${token.name}`,
  about: [[token.session, revoking(token.exp)]],
  run: async (service) => service.revoke(token.text, await proveIfBound(service, token, now)),
  judge: (outcome, { number }) =>
    judgeResult(token.session, number, 'value' in outcome ? toRevoked(outcome.value) : toRefusal(outcome)),
})

const planLogout = ({ session, text, name }: KnownRefreshToken): Plan<keyof typeof loggedOut> => ({
  title: `logs out with ${name}`,
  about: [[session, loggingOut]],
  run: (service) => service.logout({ refreshToken: text }),
  judge: (outcome, { number }) =>
    judgeResult(session, number, 'value' in outcome ? { kind: loggedOut[outcome.value] } : undefined),
})

const loggedOut = { ended: 'ended', 'already-ended': 'already revoked', unknown: 'refused' } as const

const planRevokeAll = (world: World, userId: ModelUserId): Plan<number> => ({
  title: `the application ends all sessions of user ${userId}`,
  about: sessionsOf(world, userId).map((session) => [session, endingWithOthers]),
  joins: { userId, behaviour: perhaps(endingWithOthers, 'spared') },
  run: (service) => service.sessions.revokeAll(userId),
  judge: (outcome, { number, watchedBy }) => {
    const results = [...watchedBy].map(({ possible }) => possible.conclude(number))
    const most = results.filter((kinds) => kinds.has('ended')).length
    const least = results.filter((kinds) => kinds.has('ended') && kinds.size === 1).length
    const count = 'value' in outcome ? outcome.value : Number.NaN
    return least <= count && count <= most ? undefined : `it ended ${count}, not ${least} to ${most}`
  },
})

const planList = (world: World, userId: ModelUserId): Plan<readonly SessionSummary[]> => ({
  title: `the application lists the sessions of user ${userId}`,
  about: sessionsOf(world, userId).map((session) => [session, listing]),
  joins: { userId, behaviour: perhaps(listing, 'unlisted') },
  run: (service) => service.sessions.list(userId),
  judge: (outcome, { number, watchedBy }) => {
    if ('code' in outcome) return outcome.message
    const listed = new Set(outcome.value.map(({ id }) => id))
    return [...watchedBy]
      .map((one) => judgeResult(one, number, { kind: listed.has(one.id) ? 'listed' : 'unlisted' }))
      .find((violation) => violation !== undefined)
  },
})

const purge: Plan<number> = {
  title: 'the application purges',
  run: (service) => service.sessions.purge(),
  judge: (outcome) => ('code' in outcome ? outcome.message : undefined),
}

const sessionsOf = ({ sessions }: World, userId: ModelUserId): readonly WatchedSession[] =>
  sessions.filter((session) => session.userId === userId)

/**
 * Returns a request with a valid proof of a key, for an instance with this clock. The proof names
 * the access token, if there is one.
 */
const proveTo = async (
  service: TokenService,
  { prove }: DpopProver,
  { now, accessToken }: { readonly now: number; readonly accessToken?: string },
): Promise<DpopRequest> => {
  const toRequest = (nonce?: string): DpopRequest => {
    const iat = Math.floor(now / 1_000)
    const ath = accessToken === undefined ? {} : { accessToken }
    const claims = { htm: 'POST', htu: `${testIssuer}/`, iat, nonce, ...ath }
    return { proof: prove(claims), method: 'POST', path: '/' }
  }
  const asked: unknown = await service.checkDpopProof(toRequest()).catch((error: unknown) => error)
  return toRequest(isAuthError(asked) ? asked.dpopNonce : undefined)
}

import { parseJwsParts } from '../access-token/compact-jws.js'
import type { CheckedProof } from '../dpop/check-proof.js'
import { checkOptionalProof, missingOption } from '../dpop/possession.js'
import { invalidProof } from '../dpop/proof.js'
import { AuthError } from '../errors/auth-error.js'
import { toNetwork } from '../network.js'
import type { Rotation, SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { decideRefresh, maxRecentVerifiers, toConfirmation, toRotation } from '../session/decide-refresh.js'
import { deriveSuccessor, parseRefreshToken, type RefreshToken, saltBytes, toHash } from '../session/refresh-token.js'
import { checkUser, hasTimeForAccessToken, isActive, toEndReason, toStoredDevice } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import type { Call } from './call.js'
import { endSession } from './end-session.js'
import { type AuthenticationResult, type Grant, issueTokens } from './issue-tokens.js'
import {
  announceRepeat,
  checkRepeat,
  describeReuse,
  endReplayed,
  invalidRefreshToken,
  type TokenUse,
} from './replaced-token.js'
import type { ServiceContext } from './service-context.js'

/**
 * Exchanges a refresh token for a new pair. A replayed token ends its session before the response.
 *
 * @throws AuthError `jwt_auth_invalid_refresh_token` for every invalid token, without
 *   distinguishing why; `jwt_auth_invalid_dpop_proof` or `jwt_auth_use_dpop_nonce` when the proof
 *   of the session's key is missing or invalid (the session continues); `jwt_auth_unavailable`,
 *   after which the client can retry within the grace window
 */
export const refresh = async (context: ServiceContext, text: string, call: Call): Promise<AuthenticationResult> => {
  const { device = {}, address } = call.request
  const token = requireRefreshToken(context, text)
  const proof = checkOptionalProof(context, call.request)
  const { userAgent, ipAddress } = toStoredDevice(device)
  const selectorHash = toHash(token.selector)
  const presentation = { token, selectorHash, proof, address, client: { userAgent, ipAddress } }
  return context.queueRefresh(selectorHash, async () => {
    for (let count = 0; count < maxAttempts; count += 1) {
      const result = await tryRefresh(context, call, presentation)
      if (result !== 'stale') return result
    }
    const cause = new Error(`jwt-auth: storage.rotate resolved to "stale" ${maxAttempts} times in a row.`)
    throw new AuthError('jwt_auth_unavailable', { cause })
  })
}

/** A refresh token that a client presents, and its session. */
interface Presentation extends TokenUse {
  readonly token: RefreshToken
  readonly selectorHash: string
  /** The proof of the request. */
  readonly proof: CheckedProof | undefined
}

// A lost swap means that another instance replaced the token, or that the session has ended: the
// next attempt finds the session changed. Within one grace window a session has no more rotations
// than recent verifiers. A storage that loses more swaps in a row violates its contract.
const maxAttempts = maxRecentVerifiers + 8

const tryRefresh = async (
  context: ServiceContext,
  call: Call,
  presentation: Omit<Presentation, 'session' | 'now'>,
): Promise<AuthenticationResult | 'stale'> => {
  const { token, selectorHash } = presentation
  const now = context.system.now()
  const session = await findBySelectorHash(context, selectorHash, presentation.address)
  if (session === undefined) throw invalidRefreshToken()
  call.presented = { userId: session.userId, sessionId: session.id }
  if (!isActive(session, now)) throw invalidRefreshToken()
  context.watchClock(session, now)
  const use = { ...presentation, session, now }
  requireKey(context, use)
  const user = await requireUser(context, use)
  const decision = decideRefresh(session, token, {
    now,
    graceSeconds: context.policy.refreshGraceSeconds,
    serviceSecrets: context.policy.serviceSecrets,
  })
  switch (decision.kind) {
    case 'replay':
      await endReplayed(context, use)
      throw invalidRefreshToken()
    case 'former-key':
      throw invalidRefreshToken()
    case 'repeat': {
      await checkRepeat(context, use)
      const result = await confirm(context, { session, user, refreshToken: decision.current }, now)
      if (result !== 'stale') announceRepeat(context, use)
      return result
    }
    case 'keep':
      return confirm(context, { session, user, refreshToken: token }, now)
    case 'rotate':
      return rotate(context, use, user)
  }
}

/**
 * Parses a refresh token.
 *
 * @throws AuthError `jwt_auth_invalid_refresh_token` for other text; an access token is reported
 */
export const requireRefreshToken = ({ reportFault }: ServiceContext, text: string): RefreshToken => {
  const token = parseRefreshToken(text)
  if (token !== undefined) return token
  if (parseJwsParts(text) !== undefined) reportFault(accessToken)
  throw invalidRefreshToken()
}

const accessToken =
  'a refresh token was rejected: it is an access token: send the `refresh_token` of the last login or refresh instead'

/**
 * Finds the session of a refresh token. Networks take turns, because anyone can send such tokens.
 */
export const findBySelectorHash = (
  { storage, refreshLookups }: ServiceContext,
  selectorHash: string,
  address: string | undefined,
): Promise<SessionRecord | undefined> =>
  refreshLookups.run(() => storage.findBySelectorHash(selectorHash), { isKnown: false, network: toNetwork(address) })

// Compares the proof with the session, and uses the proof up. Before the token is looked at, so
// that nobody without the key can use it up, or end the session with a replaced token.
const requireKey = (context: ServiceContext, presentation: Presentation): void => {
  const { session, proof, now } = presentation
  if (session.dpopThumbprint === null) return
  if (context.dpop === undefined) throw missingOption()
  if (proof?.thumbprint === session.dpopThumbprint) {
    proof.use()
    return
  }
  const mismatch = proof === undefined ? 'missing' : 'other_key'
  if (context.countReuse(session.id, mismatch, now) !== undefined)
    context.emit({ type: 'refresh_token_without_key', mismatch, ...describeReuse(presentation) })
  throw invalidProof(
    mismatch === 'missing' ? 'it is missing, and the session is bound' : 'the session is bound to another key',
  )
}

// Ends the session if its user no longer exists, is disabled, or has another credential version.
const requireUser = async (context: ServiceContext, { session, address, now }: TokenUse): Promise<User> => {
  const user = checkUser(await context.users.findById(session.userId), session.credentialVersion)
  if (typeof user === 'object') return user
  await endSession(context, session, { at: now, reason: toEndReason(user), ipAddress: address })
  throw invalidRefreshToken()
}

// Extends nothing. The rotation that was read may still be lost: its writer may have received an
// error instead of a confirmation. The swap confirms the rotation (docs/design/refresh-tokens.md).
const confirm = (context: ServiceContext, grant: Grant, now: EpochMs): Promise<AuthenticationResult | 'stale'> =>
  issueAndSwap(context, grant, { rotation: toConfirmation(grant.session), now })

const rotate = async (
  context: ServiceContext,
  { session, token, client, address, now }: Presentation,
  user: User,
): Promise<AuthenticationResult | 'stale'> => {
  const salt = context.system.randomBytes(saltBytes)
  const [serviceSecret] = context.policy.serviceSecrets
  const successor = deriveSuccessor(token, { salt, serviceSecret })
  const rotation = toRotation(session, { token: successor, salt, client }, { now, policy: context.policy })
  const grant = { session: { ...session, ...rotation }, user, refreshToken: successor }
  const result = await issueAndSwap(context, grant, { rotation, now })
  if (result === 'stale') return 'stale'
  const { id: sessionId, userId } = session
  context.emit({ type: 'session_refreshed', userId, sessionId, ipAddress: address ?? null, at: new Date(now) })
  return result
}

// Everything that can fail comes before the swap, so that a failed refresh leaves the refresh token
// valid.
const issueAndSwap = async (
  context: ServiceContext,
  grant: Grant,
  { rotation, now }: { readonly rotation: Rotation; readonly now: EpochMs },
): Promise<AuthenticationResult | 'stale'> => {
  if (!hasTimeForAccessToken(grant.session, now)) throw invalidRefreshToken()
  const result = await issueTokens(context, grant, now)
  return (await context.storage.rotate(rotation)) === 'stale' ? 'stale' : result
}

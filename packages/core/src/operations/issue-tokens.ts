import { type AccessTokenClaims, toAttributeClaims } from '../access-token/claims.js'
import { maxAccessTokenLength } from '../access-token/compact-jws.js'
import type { TokenScheme } from '../errors/auth-error.js'
import type { ResolvedOptions } from '../options/resolve-options.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { formatRefreshToken, type RefreshToken } from '../session/refresh-token.js'
import { toExpiry, toResultUser } from '../session/session-record.js'
import type { EpochMs, System } from '../system.js'
import { parseAttributes } from './attributes.js'
import type { ServiceContext } from './service-context.js'

/** The result of a login or a refresh. `U` is your type of a user. */
export interface AuthenticationResult<U extends User = User> {
  /** The new access token. Responses contain it as `access_token` and as `token`. */
  readonly accessToken: string
  /** How long the access token is valid, in whole seconds. Responses contain it as `expires_in`. */
  readonly expiresInSeconds: number
  /**
   * How to send the access token: `DPoP` if it is bound to a key. Responses contain it as
   * `token_type`.
   */
  readonly tokenType: TokenScheme
  /** The current refresh token of the session. Responses contain it as `refresh_token`. */
  readonly refreshToken: string
  /**
   * How long the refresh token is valid, in whole seconds. If nobody refreshes the session, it ends
   * then.
   */
  readonly sessionExpiresInSeconds: number
  /** The user, as the directory returns them now. JSON omits their `credentialVersion`. */
  readonly user: U
  /** What the option `profile` returned. Responses contain its members. */
  readonly profile: Readonly<Record<string, unknown>>
  /** The session that the tokens belong to. */
  readonly sessionId: string
}

/** What tokens are issued for. */
export interface Grant {
  readonly session: SessionRecord
  readonly user: User
  /** The current refresh token of the session. */
  readonly refreshToken: RefreshToken
}

/** What the tokens of a service depend on. */
export interface IssuerContext
  extends Pick<ServiceContext, 'issuer' | 'getHostClaims' | 'getProfile' | 'signAccessToken'> {
  readonly system: Pick<System, 'randomBytes'>
  readonly policy: Pick<ResolvedOptions, 'audience' | 'accessTokenLifetimeSeconds' | 'dpop'>
}

/**
 * Issues an access token for an active session, with the application's claims, and returns it with
 * the session's current refresh token. The access token expires after its lifetime or with the
 * session, whichever comes first.
 */
export const issueTokens = async (
  { system, policy, issuer, getHostClaims, getProfile, signAccessToken }: IssuerContext,
  { session, user, refreshToken }: Grant,
  now: EpochMs,
): Promise<AuthenticationResult> => {
  const { audience } = policy
  const jkt = policy.dpop?.bindsAccessTokens ? session.dpopThumbprint : null
  const { id, createdAt } = session
  const attributes = parseAttributes(session)
  const hostClaims = await getHostClaims(user, { id, createdAt: new Date(createdAt), attributes })
  const issuedAt = toSeconds(now)
  const sessionExpiresAt = toExpiry(session)
  const expiresAt = toSeconds(Math.min(now + policy.accessTokenLifetimeSeconds * 1000, sessionExpiresAt))
  const claims: AccessTokenClaims = {
    ...hostClaims,
    ...toAttributeClaims(attributes),
    iss: issuer,
    sub: String(session.userId),
    ...(audience !== undefined && { aud: audience }),
    iat: issuedAt,
    nbf: issuedAt,
    exp: expiresAt,
    auth_time: toSeconds(createdAt),
    jti: system.randomBytes(16).toString('base64url'),
    sid: id,
    ...(jkt !== null && { cnf: { jkt } }),
    data: { user: { id: session.userId } },
  }
  const accessToken = await signAccessToken(claims)
  if (accessToken.length > maxAccessTokenLength) {
    throw new RangeError(
      `jwt-auth: the access token would be ${accessToken.length} characters long, over ${maxAccessTokenLength}: return less from the option \`claims\`.`,
    )
  }
  return {
    accessToken,
    expiresInSeconds: expiresAt - issuedAt,
    tokenType: jkt === null ? 'Bearer' : 'DPoP',
    refreshToken: formatRefreshToken(refreshToken),
    sessionExpiresInSeconds: toSeconds(sessionExpiresAt) - issuedAt,
    user: toResultUser(user),
    profile: await getProfile(user),
    sessionId: id,
  }
}

const toSeconds = (instant: EpochMs): number => Math.floor(instant / 1000)

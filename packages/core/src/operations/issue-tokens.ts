import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { formatRefreshToken, type RefreshToken } from '../refresh-token/refresh-token.js'
import type { EpochMs } from '../system.js'
import type { IssueAccessToken } from './issue-access-token.js'

/** The tokens of a login or a refresh, and their user. */
export interface AuthenticationResult {
  /** The access token, a JWT. */
  readonly accessToken: string
  /** From now until the access token's `exp`, in seconds. */
  readonly expiresInSeconds: number
  /** The refresh token. The storage keeps only its hash. */
  readonly refreshToken: string
  /** The user of the session. */
  readonly user: User
  /** The session that the tokens belong to. */
  readonly sessionId: string
}

/** Resolves to the result of a login or a refresh: a new access token and the session's current refresh token. */
export const issueTokens = async (
  issueAccessToken: IssueAccessToken,
  grant: {
    readonly session: SessionRecord
    readonly refreshToken: RefreshToken
    readonly user: User
    readonly hostClaims: Readonly<Record<string, unknown>>
  },
  now: EpochMs,
): Promise<AuthenticationResult> => ({
  ...(await issueAccessToken(grant.session, grant.hostClaims, now)),
  refreshToken: formatRefreshToken(grant.refreshToken),
  user: grant.user,
  sessionId: grant.session.id,
})

import type { IssueAccessToken } from '../access-token/issue-access-token.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { type RefreshToken, writeRefreshToken } from '../refresh-token/refresh-token.js'
import type { EpochMilliseconds } from '../system.js'

/** What a login or a refresh gives to the client. */
export interface AuthenticationResult {
  readonly accessToken: string
  /** From now until the access token's `exp`, in seconds. */
  readonly expiresInSeconds: number
  readonly refreshToken: string
  readonly user: User
  readonly sessionId: string
}

/** Puts together the answer of a login or a refresh: a fresh access token beside the session's current refresh token. */
export const issueTokens = (
  issueAccessToken: IssueAccessToken,
  grant: {
    readonly session: SessionRecord
    readonly refreshToken: RefreshToken
    readonly user: User
    readonly hostClaims: Readonly<Record<string, unknown>>
  },
  now: EpochMilliseconds,
): AuthenticationResult => ({
  ...issueAccessToken(grant.session, grant.hostClaims, now),
  refreshToken: writeRefreshToken(grant.refreshToken),
  user: grant.user,
  sessionId: grant.session.id,
})

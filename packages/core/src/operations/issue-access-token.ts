import type { AccessTokenClaims } from '../access-token/claims.js'
import { longestAccessToken } from '../access-token/compact-jws.js'
import type { SessionRecord } from '../ports/session-storage.js'
import { toExpiry } from '../session/session-record.js'
import type { EpochMs, System } from '../system.js'
import type { SignAccessToken } from './sign-access-token.js'

/** What all access tokens of a service have in common, and the function that signs them. */
export interface IssuerOptions {
  readonly signAccessToken: SignAccessToken
  readonly issuer: string
  readonly audience: string | undefined
  readonly accessTokenLifetimeSeconds: number
}

/** An access token and how long it lives, in seconds. */
interface IssuedAccessToken {
  readonly accessToken: string
  readonly expiresInSeconds: number
}

/** Issues an access token for an active session. The token expires after its lifetime or with the session, whichever comes first. */
export type IssueAccessToken = (
  session: SessionRecord,
  hostClaims: Readonly<Record<string, unknown>>,
  now: EpochMs,
) => Promise<IssuedAccessToken>

/** Creates the function that issues access tokens. */
export const createAccessTokenIssuer =
  (options: IssuerOptions, randomBytes: System['randomBytes']): IssueAccessToken =>
  async (session, hostClaims, now) => {
    const issuedAt = toSeconds(now)
    const expiresAt = toSeconds(Math.min(now + options.accessTokenLifetimeSeconds * 1000, toExpiry(session)))
    const claims: AccessTokenClaims = {
      ...hostClaims,
      iss: options.issuer,
      sub: String(session.userId),
      ...(options.audience !== undefined && { aud: options.audience }),
      iat: issuedAt,
      nbf: issuedAt,
      exp: expiresAt,
      jti: randomBytes(16).toString('base64url'),
      sid: session.id,
      data: { user: { id: session.userId } },
    }
    const accessToken = await options.signAccessToken(claims)
    if (accessToken.length > longestAccessToken) {
      throw new RangeError(
        `jwt-auth: the access token would be ${accessToken.length} characters long, over ${longestAccessToken}: return less from the option \`claims\`.`,
      )
    }
    return { accessToken, expiresInSeconds: expiresAt - issuedAt }
  }

const toSeconds = (instant: EpochMs): number => Math.floor(instant / 1000)

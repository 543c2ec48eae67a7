import type { KeyRing } from '../keys/key-ring.js'
import type { Signer } from '../keys/signer.js'
import type { SessionRecord } from '../ports/session-storage.js'
import { endOf } from '../session/session-record.js'
import type { EpochMilliseconds, System } from '../system.js'
import type { AccessTokenClaims } from './claims.js'
import { accessTokenType, longestAccessToken } from './compact-jws.js'

/** What all access tokens of a service have in common. */
export interface IssuerOptions {
  readonly keyRing: KeyRing
  readonly signer: Signer
  readonly issuer: string
  readonly audience: string | undefined
  readonly accessTokenSeconds: number
}

/** An access token and how long it lives, in seconds. */
interface IssuedAccessToken {
  readonly accessToken: string
  readonly expiresInSeconds: number
}

/**
 * Signs an access token for a live session. It ends with its own life or with the session's, whichever comes first.
 */
export type IssueAccessToken = (
  session: SessionRecord,
  hostClaims: Readonly<Record<string, unknown>>,
  now: EpochMilliseconds,
) => IssuedAccessToken

/** Makes the one function that signs access tokens. */
export const createAccessTokenIssuer =
  (options: IssuerOptions, randomBytes: System['randomBytes']): IssueAccessToken =>
  (session, hostClaims, now) => {
    const issuedAt = toSeconds(now)
    const expiresAt = toSeconds(Math.min(now + options.accessTokenSeconds * 1000, endOf(session)))
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
    const accessToken = options.signer.sign(claims, options.keyRing.active, accessTokenType)
    if (accessToken.length > longestAccessToken) {
      throw new RangeError(
        `jwt-auth: the access token would be ${accessToken.length} characters long, over ${longestAccessToken}: return less from the option \`claims\`.`,
      )
    }
    return { accessToken, expiresInSeconds: expiresAt - issuedAt }
  }

const toSeconds = (instant: EpochMilliseconds): number => Math.floor(instant / 1000)

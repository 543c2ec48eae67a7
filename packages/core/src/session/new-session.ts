import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { type RefreshToken, toHash } from '../refresh-token/refresh-token.js'
import type { EpochMs } from '../system.js'
import type { StoredDevice } from './device.js'
import type { SessionPolicy } from './session-policy.js'
import { toCredentialVersion } from './session-record.js'

/** The record of a session that opens now. */
export const toNewSession = (
  opening: {
    readonly id: string
    readonly issuer: string
    readonly user: User
    readonly refreshToken: RefreshToken
    readonly device: StoredDevice
  },
  { now, policy }: { readonly now: EpochMs; readonly policy: SessionPolicy },
): SessionRecord => {
  const absoluteExpiresAt = now + policy.sessionAbsoluteTimeoutSeconds * 1000
  return {
    id: opening.id,
    issuer: opening.issuer,
    userId: opening.user.id,
    selectorHash: toHash(opening.refreshToken.selector),
    verifierHash: toHash(opening.refreshToken.verifier),
    recentVerifiers: [],
    createdAt: now,
    rotatedAt: now,
    lastUsedAt: now,
    idleExpiresAt: Math.min(now + policy.sessionIdleTimeoutSeconds * 1000, absoluteExpiresAt),
    absoluteExpiresAt,
    endedAt: null,
    endReason: null,
    credentialVersion: toCredentialVersion(opening.user),
    ...opening.device,
    lastUserAgent: opening.device.userAgent,
    lastIpAddress: opening.device.ipAddress,
  }
}

import type { UserId } from '@jwt-auth/core'
import type { Rotation, SessionRecord, UserRef } from '@jwt-auth/core/adapter'

/** The instant that most cases use. It is after 2038 and is not a whole second. */
export const start = 2_208_988_800_123

/** How long a storage may keep a session after its idle expiry. */
export const dayMs = 86_400_000

/** The issuer of the sample sessions. */
const sampleIssuer = 'https://api.example.com'

/**
 * Returns the key of a user of the sample sessions' issuer.
 *
 * @example
 * ```ts
 * await storage.list({ ...sampleUser(1), activeAt: Date.now(), limit: 10 })
 * ```
 */
export const sampleUser = (userId: UserId): UserRef => ({ issuer: sampleIssuer, userId })

/**
 * Returns an active session of user 1. Sessions of different numbers have different ids and hashes.
 *
 * @param number a whole number, 0 or more
 * @param differences fields that replace those of the sample
 * @example
 * ```ts
 * await storage.create(sampleSession(1, { userId: 'ann' }))
 * ```
 */
export const sampleSession = (number: number, differences: Partial<SessionRecord> = {}): SessionRecord => ({
  id: `session-${String(number).padStart(14, '0')}`,
  issuer: sampleIssuer,
  userId: 1,
  selectorHash: `selector-${String(number).padStart(34, '0')}`,
  verifierHash: `verifier-${String(number).padStart(34, '0')}`,
  recentVerifiers: [],
  createdAt: start + number,
  rotatedAt: start + number,
  lastUsedAt: start + number,
  idleExpiresAt: start + 1_000_000,
  absoluteExpiresAt: start + 2_000_000,
  endedAt: null,
  endReason: null,
  credentialVersion: null,
  dpopThumbprint: null,
  userAgent: null,
  ipAddress: null,
  lastUserAgent: null,
  lastIpAddress: null,
  label: null,
  attributes: null,
  ...differences,
})

/** Returns the sample sessions 1 to `count`. */
export const sampleSessions = (
  count: number,
  differences: Partial<SessionRecord> = {},
): readonly [SessionRecord, ...SessionRecord[]] => [
  sampleSession(1, differences),
  ...Array.from({ length: count - 1 }, (_, position) => sampleSession(position + 2, differences)),
]

/** Returns an active session with a value in every field except `endedAt` and `endReason`. */
export const fullSession = (number: number, differences: Partial<SessionRecord> = {}): SessionRecord =>
  sampleSession(number, {
    recentVerifiers: [
      { verifierHash: 'recent-2', salt: 'salt-2', replacedAt: start - 1 },
      { verifierHash: 'recent-1', salt: 'salt-1', replacedAt: start - 2 },
    ],
    credentialVersion: 'version 1',
    dpopThumbprint: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    userAgent: 'Mozilla/5.0',
    ipAddress: '2001:db8::1',
    lastUserAgent: 'curl/8',
    lastIpAddress: '192.0.2.1',
    label: 'laptop',
    attributes: '{"tenant":"north"}',
    ...differences,
  })

/** Returns a rotation that replaces the verifier of a new session. */
export const sampleRotation = (session: SessionRecord, verifierHash = `next-${session.id}`): Rotation => ({
  id: session.id,
  expectedVerifierHash: session.verifierHash,
  verifierHash,
  recentVerifiers: [{ verifierHash: session.verifierHash, salt: 'salt', replacedAt: start + 500_001 }],
  rotatedAt: start + 500_001,
  lastUsedAt: start + 500_002,
  idleExpiresAt: start + 1_500_003,
  lastUserAgent: 'Mozilla/6.0',
  lastIpAddress: '192.0.2.2',
})

/** Returns the session as it must be after the rotation. */
export const toRotated = (session: SessionRecord, { expectedVerifierHash: _, ...next }: Rotation): SessionRecord => ({
  ...session,
  ...next,
})

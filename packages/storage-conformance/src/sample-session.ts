import type { SessionRecord } from '@jwt-auth/core'

/** An instant of the cases, with milliseconds that matter, past 2038. */
export const start = 2_208_988_800_123

/** A live session made from a number: two numbers never share an id or a hash. */
export const sampleSession = (number: number, differences: Partial<SessionRecord> = {}): SessionRecord => ({
  id: `session-${String(number).padStart(14, '0')}`,
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
  userAgent: null,
  ipAddress: null,
  label: null,
  ...differences,
})

import { createHash } from 'node:crypto'
import type { SessionRecord } from '@jwt-auth/core'

/** The instant at which all numbered sessions were opened. */
export const openedAt = Date.UTC(2026, 0, 1)

const day = 24 * 60 * 60 * 1000

/** The instant at which they are looked at: every tenth is over by then, the others are live. */
export const lookedAt = openedAt + 30 * day

/** Sessions of one user. */
export const sessionsOfUser = 4

/** What identifies the session of a number, spread as at random; the same text as PostgreSQL makes of it while seeding. */
export const keyOf = (kind: 'id' | 'selector' | 'verifier', number: number): string => {
  const digest = createHash('sha256').update(`${kind}${number}`).digest('base64url')
  return kind === 'id' ? digest.slice(0, 22) : digest
}

/** Whether the session of a number is over when it is looked at. */
export const isOver = (number: number): boolean => number % 10 === 0

/** Whose session it is: the sessions of one user were opened one after another. */
export const userOf = (number: number): number => Math.floor(number / sessionsOfUser)

/** What a browser says of itself, about as long as they are. */
export const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'

/** The session of a number, as it was opened. */
export const numberedSession = (number: number): SessionRecord => ({
  id: keyOf('id', number),
  userId: userOf(number),
  selectorHash: keyOf('selector', number),
  verifierHash: keyOf('verifier', number),
  recentVerifiers: [],
  createdAt: openedAt + number,
  rotatedAt: openedAt,
  lastUsedAt: openedAt,
  idleExpiresAt: isOver(number) ? openedAt + day : openedAt + 60 * day,
  absoluteExpiresAt: openedAt + 90 * day,
  endedAt: null,
  endReason: null,
  credentialVersion: null,
  userAgent,
  ipAddress: '203.0.113.7',
  label: null,
})

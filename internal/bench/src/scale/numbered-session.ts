import { createHash } from 'node:crypto'
import type { SessionRecord } from '@jwt-auth/core'

/** The instant at which all numbered sessions were opened. */
export const openedAt = Date.UTC(2026, 0, 1)

const day = 24 * 60 * 60 * 1000

/** The instant at which they are looked at: every tenth is over by then, the others are live. */
export const lookedAt = openedAt + 30 * day

/** Sessions of one user. */
export const sessionsOfUser = 4

/** The hash of the selector or the verifier of a session, by its number: the same text as PostgreSQL makes of it while seeding. */
export const hashOf = (kind: 'selector' | 'verifier', number: number): string => digest(`${kind}${number}`)

/** How the sessions of a store get their ids. */
export interface SessionIds {
  readonly of: (number: number) => string
  /** PostgreSQL's expression of the same over the column `n`. */
  readonly sql: string
}

/** As the service draws them: spread over the whole index. */
export const randomIds: SessionIds = {
  of: (number) => digest(`id${number}`).slice(0, 22),
  sql: `left(translate(encode(sha256(('id' || n)::bytea), 'base64'), '+/', '-_'), 22)`,
}

/** As long as those, and growing with time: the newest stand next to each other. */
export const growingIds: SessionIds = {
  of: (number) => `${number}`.padStart(22, '0'),
  sql: `lpad(n::text, 22, '0')`,
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Whether the session of a number is over when it is looked at. */
export const isOver = (number: number): boolean => number % 10 === 0

/** The issuer of all sessions. */
export const issuer = 'https://api.example.com'

/** Whose session it is: the sessions of one user were opened one after another. */
export const userOf = (number: number): number => Math.floor(number / sessionsOfUser)

/** What a browser says of itself, about as long as they are. */
export const userAgent =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36'

/** The session of a number, as it was opened. */
export const numberedSession = (number: number, ids: SessionIds): SessionRecord => ({
  id: ids.of(number),
  issuer,
  userId: userOf(number),
  selectorHash: hashOf('selector', number),
  verifierHash: hashOf('verifier', number),
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
  lastUserAgent: userAgent,
  lastIpAddress: '203.0.113.7',
  label: null,
})

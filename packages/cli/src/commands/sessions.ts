import type { UserId } from '@jwt-auth/core'
import type { SessionSummary } from '@jwt-auth/express'
import type { Service } from '../config.js'
import { callInTime, type Result, UsageError } from '../terminal.js'

/**
 * Reads the id of a user: `42` is a number, and `"42"` with its quotes is text, like every other
 * text.
 */
export const parseUserId = (text: string): UserId => {
  const isNumber = /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text))
  return isNumber ? Number(text) : text.replace(/^"(.*)"$/, '$1')
}

/** Reads an instant, or `now`. */
export const parseInstant = (text: string, now: () => number): Date => {
  const instant = new Date(text === 'now' ? now() : text)
  if (!Number.isNaN(instant.getTime())) return instant
  throw new UsageError(`${text} is no instant. Write 2026-01-31T12:00:00Z, or now.`)
}

/**
 * Lists the sessions of a user.
 *
 * @throws UsageError if there are none and no user has this id
 */
export const listSessions = async (service: Service, userId: UserId, includeEnded: boolean): Promise<Result> => {
  const sessions = await service.auth.sessions.list(userId, { includeEnded })
  if (sessions.length === 0) await requireUser(service, userId, 'No session was found')
  return { text: sessions.length === 0 ? 'No sessions.' : sessions.map(describeSession).join('\n'), json: { sessions } }
}

/** Ends one session of a user. */
export const revokeSession = async ({ auth }: Service, userId: UserId, sessionId: string): Promise<Result> => {
  const outcome = await auth.sessions.revoke(userId, sessionId)
  return { text: `${sessionId}: ${outcome}`, json: { outcome }, isProblem: outcome === 'not-found' }
}

/**
 * Ends all sessions of a user.
 *
 * @throws UsageError if none was ended and no user has this id
 */
export const revokeAll = async (service: Service, userId: UserId, reason: string): Promise<Result> => {
  const count = await service.auth.sessions.revokeAll(userId, { reason })
  if (count === 0) await requireUser(service, userId, 'No session was ended')
  return toCount('ended', count)
}

const requireUser = async ({ options, terminal }: Service, userId: UserId, outcome: string): Promise<void> => {
  if (await callInTime(terminal, 'users.findById', (call) => options.users.findById(userId, call))) return
  throw new UsageError(`${outcome}: no user has the id ${JSON.stringify(userId)}. Pass the id, not the name.`)
}

/** Says how many sessions a command ended or deleted. */
export const toCount = (what: 'ended' | 'deleted', count: number): Result => ({
  text: `Sessions ${what}: ${count}`,
  json: { [what]: count },
})

const describeSession = (session: SessionSummary): string => {
  const { id, createdAt, lastUsedAt, endedAt, endReason, ipAddress, userAgent, attributes } = session
  const state = endedAt === null ? 'active' : `ended ${endedAt.toISOString()} (${endReason})`
  const origin = `${ipAddress ?? 'unknown address'}  ${userAgent ?? 'unknown user agent'}`
  const times = `opened ${createdAt.toISOString()}  last used ${lastUsedAt.toISOString()}`
  const data = Object.keys(attributes).length === 0 ? '' : `  ${JSON.stringify(attributes)}`
  return `${id}  ${times}  ${state}  ${origin}${data}`
}

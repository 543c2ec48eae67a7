import { type CallOptions, isAuthError } from '@jwt-auth/core'
import type { FoundSession, SessionRecord } from '@jwt-auth/core/adapter'
import {
  getMember,
  isActive,
  parseRefreshToken,
  readIssuers,
  toCredentialVersion,
  toExpiry,
  toHash,
} from '@jwt-auth/core/internal'
import type { JwtAuthOptions } from '@jwt-auth/express'
import type { Service } from '../config.js'
import { callInTime, type Result } from '../terminal.js'

/**
 * Says whether a token is accepted, which check fails and what happened to its session. Uses up
 * nothing.
 */
export const explain = async (service: Service, text: string, now: number): Promise<Result> => {
  const token = text.replace(/^(Bearer|DPoP) +/i, '')
  const refreshToken = parseRefreshToken(token)
  const { kind, refusal, found, details } =
    refreshToken === undefined
      ? await explainAccessToken(service, token)
      : await explainRefreshToken(service, refreshToken, now)
  const facts = {
    ...details,
    session: found === undefined ? 'unknown: not in the token, never existed, or purged' : describeSession(found, now),
    ...(found !== undefined && !('error' in found) && { user: await describeUser(service, found) }),
  }
  const verdict = refusal === undefined ? 'accepted' : `refused: ${refusal}`
  return {
    text: [`${kind}: ${verdict}`, ...Object.entries(facts).map(([name, value]) => `  ${name}: ${value}`)].join('\n'),
    json: { kind, isAccepted: refusal === undefined, refusal, ...facts },
    isProblem: refusal !== undefined,
  }
}

const explainAccessToken = async ({ auth, options }: Service, token: string) => {
  const refusal = await auth.verify(token).then(() => undefined, toRefusal)
  const [header, payload] = token.split('.')
  const claims = readPart(payload)
  const [sid, exp] = ['sid', 'exp'].map((name) => getMember(claims.value, name))
  const [found] = typeof sid === 'string' ? await options.storage.findByIds([sid]) : []
  const expires = typeof exp === 'number' ? toTime(exp * 1000) : 'unknown'
  const details = { header: readPart(header).text, claims: claims.text, expires }
  return { kind: 'access token', refusal, found, details }
}

const toRefusal = (error: unknown): string => {
  if (isAuthError(error) && error.code === 'jwt_auth_invalid_token')
    return `${error.message} ${error.detail ?? ''}`.trim()
  throw error
}

const readPart = (part = '') => {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    // Throws if a forged token is nested too deeply.
    return { value, text: JSON.stringify(value) }
  } catch {
    return { value: undefined, text: 'unreadable' }
  }
}

type RefreshToken = NonNullable<ReturnType<typeof parseRefreshToken>>

const explainRefreshToken = async ({ options }: Service, { selector, verifier }: RefreshToken, now: number) => {
  const found = await options.storage.findBySelectorHash(toHash(selector))
  return { kind: 'refresh token', refusal: findRefusal(found, toHash(verifier), options, now), found, details: {} }
}

const replay = 'a refresh with it ends the session as a replay'

const findRefusal = (
  found: FoundSession | undefined,
  verifierHash: string,
  { issuer, refreshGraceSeconds = 30 }: JwtAuthOptions,
  now: number,
): string | undefined => {
  if (found === undefined) return 'no session has this token'
  if ('error' in found) return 'its session cannot be read'
  if (!readIssuers('issuer', issuer).includes(found.issuer)) return `its session belongs to the issuer ${found.issuer}`
  if (!isActive(found, now)) return 'its session has ended'
  if (found.verifierHash === verifierHash) return undefined
  const replaced = found.recentVerifiers.find((recent) => recent.verifierHash === verifierHash)
  if (replaced === undefined) return `it was replaced, and ${replay}`
  const isRecent = Math.abs(now - replaced.replacedAt) <= refreshGraceSeconds * 1000
  return isRecent ? undefined : `it was replaced at ${toTime(replaced.replacedAt)}, and ${replay}`
}

const describeSession = (found: FoundSession, now: number): string => {
  if ('error' in found) return `${found.id} cannot be read: ${found.error}`
  const { id, createdAt, lastUsedAt, lastIpAddress, endedAt, endReason, dpopThumbprint, attributes } = found
  const expiry = toExpiry(found)
  const expires = expiry <= now ? `expired at ${toTime(expiry)}` : `active until ${toTime(expiry)}`
  const state = endedAt === null ? expires : `ended at ${toTime(endedAt)}: ${endReason}`
  const use = `last used ${toTime(lastUsedAt)} from ${lastIpAddress ?? 'an unknown address'}`
  const key = dpopThumbprint === null ? '' : ', bound to a key of its client'
  const facts = attributes === null ? '' : `, attributes ${attributes}`
  return `${id}, ${state}, opened ${toTime(createdAt)}, ${use}${key}${facts}`
}

const describeUser = async ({ options, terminal }: Service, session: SessionRecord): Promise<string> => {
  const find = (call: CallOptions) => options.users.findById(session.userId, call)
  const user = await callInTime(terminal, 'users.findById', find)
  const id = JSON.stringify(session.userId)
  if (user === undefined || user.disabled) return `${id} does not exist, or is disabled`
  const hasSameVersion = toCredentialVersion(user) === session.credentialVersion
  return `${id} ${hasSameVersion ? 'exists' : 'has another credential version: a refresh ends the session'}`
}

// A forged token may have any number.
const toTime = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : 'never')

import type { JsonResponse } from '../http-client.js'
import type { Operation, Outcome } from './operation.js'

/** A pair of tokens, and the user and session that it names. */
interface GrantedPair {
  readonly userId: unknown
  readonly sessionId: string
  readonly refreshToken: string
  readonly accessToken: string
}

/** The meaning of a response, with the tokens of a pair. */
export type ReadResponse = Exclude<Outcome, { kind: 'granted' }> | ({ readonly kind: 'granted' } & GrantedPair)

/**
 * Returns the meaning of a response (docs/http-api.md). A response outside the contract is
 * `unexpected`.
 */
export const readResponse = (kind: Operation['kind'], { status, body }: JsonResponse): ReadResponse => {
  const meaning = readers[kind](status, body)
  if (meaning !== undefined) return meaning
  return { kind: 'unexpected', detail: `status ${status}, code ${String(memberOf(body, 'code'))}` }
}

type Reader = (status: number, body: unknown) => ReadResponse | undefined

const isError = (body: unknown, code: string): boolean => memberOf(body, 'code') === code

const readUnavailable: Reader = (status, body) =>
  status === 503 && isError(body, 'jwt_auth_unavailable') ? { kind: 'failed' } : undefined

const readInvalid: Reader = (status, body) =>
  status === 401 && isError(body, 'jwt_auth_invalid_token') ? { kind: 'refused' } : readUnavailable(status, body)

const readOpening: Reader = (status, body) => {
  if (status === 200) return readPair(body)
  return status === 403 && isError(body, 'jwt_auth_failed') ? { kind: 'refused' } : readUnavailable(status, body)
}

const readDone: Reader = (status, body) => (status === 200 ? { kind: 'done' } : readUnavailable(status, body))

const readers: Readonly<Record<Operation['kind'], Reader>> = {
  login: readOpening,
  create: readOpening,
  'revoke-all': readDone,
  'change-password': readDone,
  purge: readDone,
  list: readDone,

  refresh: (status, body) => {
    if (status === 200) return readPair(body)
    if (status === 403 && isError(body, 'jwt_auth_invalid_refresh_token')) return { kind: 'refused' }
    return readUnavailable(status, body)
  },

  authorize: (status, body) => {
    if (status === 200) return { kind: 'authenticated', caller: readCaller(body) }
    return readInvalid(status, body)
  },

  validate: (status, body) => {
    if (status === 200 && memberOf(body, 'code') === 'jwt_auth_valid_token')
      return { kind: 'authenticated', caller: undefined }
    return readInvalid(status, body)
  },

  revoke: (status, body) => {
    if (status === 200) return { kind: 'revoked' }
    if (status === 403 && isError(body, 'jwt_auth_token_already_revoked')) return { kind: 'already-revoked' }
    return status === 500 && isError(body, 'jwt_auth_revoke_failed') ? { kind: 'failed' } : undefined
  },
}

const readPair = (body: unknown): ReadResponse | undefined => {
  const refreshToken = memberOf(body, 'refresh_token')
  const accessToken = memberOf(body, 'token')
  if (typeof refreshToken !== 'string' || typeof accessToken !== 'string') return undefined
  const claims: unknown = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  const sessionId = memberOf(claims, 'sid')
  if (typeof sessionId !== 'string') return undefined
  return { kind: 'granted', userId: memberOf(body, 'user_id'), sessionId, refreshToken, accessToken }
}

const readCaller = (body: unknown) => {
  const [userId, sessionId] = [memberOf(body, 'user_id'), memberOf(body, 'session_id')]
  return userId === undefined ? undefined : { userId, sessionId }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

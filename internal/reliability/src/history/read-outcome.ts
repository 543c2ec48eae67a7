import type { HttpResponse } from '@jwt-auth/test-support/http-client'
import { readMember } from '@jwt-auth/test-support/read-json'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import type { Operation, Outcome } from './operation.js'

/** The parts of a response that have a meaning. */
export type Response = Pick<HttpResponse, 'status' | 'text'>

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
export const readResponse = (kind: Operation['kind'], { status, text }: Response): ReadResponse => {
  const body = readJson(text)
  const meaning = readers[kind](status, body)
  if (meaning !== undefined) return meaning
  return { kind: 'unexpected', detail: `status ${status}, code ${String(readMember(body, 'code'))}` }
}

type Reader = (status: number, body: unknown) => ReadResponse | undefined

const isError = (body: unknown, code: string): boolean => readMember(body, 'code') === code

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
    if (status === 200 && readMember(body, 'code') === 'jwt_auth_valid_token')
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
  const refreshToken = readMember(body, 'refresh_token')
  const accessToken = readMember(body, 'token')
  if (typeof refreshToken !== 'string' || typeof accessToken !== 'string') return undefined
  const sessionId = decodeToken(accessToken).claims['sid']
  if (typeof sessionId !== 'string') return undefined
  return { kind: 'granted', userId: readMember(body, 'user_id'), sessionId, refreshToken, accessToken }
}

const readCaller = (body: unknown) => {
  const [userId, sessionId] = [readMember(body, 'user_id'), readMember(body, 'session_id')]
  return userId === undefined ? undefined : { userId, sessionId }
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import type { HttpResponse } from '@jwt-auth/test-support/http-client'
import { readMember } from '@jwt-auth/test-support/read-json'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import type { History, Operation, Outcome } from './operation.js'

/** What a client knows of its session after a response. */
export interface Grant {
  /** The name of the session in the history. */
  readonly session: string
  readonly userId: number
  /** The id of the session at the service. */
  readonly sessionId: string
  readonly refreshToken: string
  readonly accessToken: string
}

/** The outcome of a login or a refresh. */
export interface PairResult {
  readonly outcome: Outcome
  /** `undefined` when the response held no tokens. */
  readonly grant: Grant | undefined
}

/** Returns the tokens of a login that must succeed. */
export const requireGrant = ({ grant, outcome }: PairResult): Grant => {
  if (grant === undefined) throw new Error(`The login was ${outcome.kind}.`)
  return grant
}

/** An operation before it is sent. */
type Request = Pick<Operation, 'kind' | 'session' | 'userId' | 'instance' | 'isFinal'> & {
  /** The token itself. The history receives its label. */
  readonly token: string | undefined
}

/** Creates an empty log. `now` is a monotonic clock, in milliseconds. */
export const createOperationLog = (now: () => number) => {
  const operations: Operation[] = []
  const newest = new Map<string, { readonly grant: Grant; readonly start: number }>()
  const labelOf = createTokenLabels()
  let count = 0

  return {
    /** Returns the operations that have ended, in the order of their starts. */
    history: (): History => operations.toSorted((a, b) => a.number - b.number),

    /**
     * Sends an operation and records its outcome. Never rejects: an operation without a response is
     * `lost`.
     */
    carryOut: async ({ token, ...request }: Request, send: () => Promise<Outcome>): Promise<PairResult> => {
      count += 1
      const number = count
      const presented = token === undefined ? undefined : labelOf(token)
      const start = now()
      const response = await send().catch((): Outcome => ({ kind: 'lost' }))
      const outcome = withLabels(response, labelOf)
      operations.push({ ...request, number, presented, start, end: now(), outcome })
      const grant = toGrant(request, response)
      if (grant !== undefined && start >= (newest.get(grant.session)?.start ?? 0)) {
        newest.set(grant.session, { grant, start })
      }
      return { outcome, grant }
    },

    /** Returns the newest tokens of each session: from the request that started last. */
    newestGrants: (): readonly Grant[] => [...newest.values()].map(({ grant }) => grant),
  }
}

const withLabels = (response: Outcome, labelOf: (token: string) => string): Outcome => {
  if (response.kind !== 'granted') return response
  const { refreshToken, accessToken } = response
  return { ...response, refreshToken: labelOf(refreshToken), accessToken: labelOf(accessToken) }
}

const toGrant = ({ session, userId }: Pick<Grant, 'session' | 'userId'>, response: Outcome): Grant | undefined => {
  if (response.kind !== 'granted') return undefined
  const { sessionId, refreshToken, accessToken } = response
  return { session, userId, sessionId, refreshToken, accessToken }
}

/**
 * Returns the label of a token, so that no token gets into a history: `r1`, `r2`, … for refresh
 * tokens and `a1`, `a2`, … for access tokens, in the order in which they first appear.
 */
const createTokenLabels = () => {
  const labels = new Map<string, string>()
  const counts = { r: 0, a: 0 }
  return (token: string): string => {
    const known = labels.get(token)
    if (known !== undefined) return known
    const kind = token.startsWith('jwtauth_rt_') ? 'r' : 'a'
    counts[kind] += 1
    const label = `${kind}${counts[kind]}`
    labels.set(token, label)
    return label
  }
}

/** An operation that is a request over HTTP. */
export type RequestKind = 'login' | 'refresh' | 'authorize' | 'validate' | 'revoke'

/**
 * Returns the meaning of a response (docs/http-api.md), with the tokens themselves in place of their
 * labels. A response outside the contract is `unexpected`.
 */
export const readResponse = (kind: RequestKind, { status, text }: Pick<HttpResponse, 'status' | 'text'>): Outcome => {
  const body = readJson(text)
  const meaning = readers[kind](status, body)
  if (meaning !== undefined) return meaning
  return { kind: 'unexpected', detail: `status ${status}, code ${String(readMember(body, 'code'))}` }
}

type Reader = (status: number, body: unknown) => Outcome | undefined

const isError = (body: unknown, code: string): boolean => readMember(body, 'code') === code

const readUnavailable: Reader = (status, body) =>
  status === 503 && isError(body, 'jwt_auth_unavailable') ? { kind: 'failed' } : undefined

const readInvalid: Reader = (status, body) =>
  status === 401 && isError(body, 'jwt_auth_invalid_token') ? { kind: 'refused' } : readUnavailable(status, body)

const readGrant =
  (refusal: string): Reader =>
  (status, body) => {
    if (status === 200) return readPair(body)
    return status === 403 && isError(body, refusal) ? { kind: 'refused' } : readUnavailable(status, body)
  }

const readers: Readonly<Record<RequestKind, Reader>> = {
  login: readGrant('jwt_auth_failed'),
  refresh: readGrant('jwt_auth_invalid_refresh_token'),

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

const readPair = (body: unknown): Outcome | undefined => {
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

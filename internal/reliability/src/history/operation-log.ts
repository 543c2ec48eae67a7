import type { History, Operation, Outcome } from './operation.js'
import { type ReadResponse, type Response, readResponse } from './read-outcome.js'

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

/** Sends operations, and records them. */
export interface OperationLog {
  /** Returns the operations that have ended, in the order of their starts. */
  readonly history: () => History
  /**
   * Sends an operation and records its outcome. Never rejects: an operation without a response is
   * `lost`.
   */
  readonly carryOut: (request: Request, send: () => Promise<Response>) => Promise<PairResult>
  /** Returns the newest tokens of each session: from the request that started last. */
  readonly newestGrants: () => readonly Grant[]
}

/** Creates an empty log. `now` is a monotonic clock, in milliseconds. */
export const createOperationLog = (now: () => number): OperationLog => {
  const operations: Operation[] = []
  const newest = new Map<string, { readonly grant: Grant; readonly start: number }>()
  const labels = createTokenLabels()
  let count = 0

  return {
    history: () => operations.toSorted((a, b) => a.number - b.number),

    carryOut: async ({ token, ...request }, send) => {
      count += 1
      const number = count
      const presented = token === undefined ? undefined : labels.of(token)
      const start = now()
      const response = await readSent(request.kind, send)
      const outcome = withLabels(response, labels)
      operations.push({ ...request, number, presented, start, end: now(), outcome })
      const grant = toGrant(request, response)
      if (grant !== undefined && start >= (newest.get(grant.session)?.start ?? 0)) {
        newest.set(grant.session, { grant, start })
      }
      return { outcome, grant }
    },

    newestGrants: () => [...newest.values()].map(({ grant }) => grant),
  }
}

const readSent = async (kind: Operation['kind'], send: () => Promise<Response>): Promise<ReadResponse> => {
  try {
    return readResponse(kind, await send())
  } catch {
    return { kind: 'lost' }
  }
}

const withLabels = (response: ReadResponse, labels: TokenLabels): Outcome => {
  if (response.kind !== 'granted') return response
  const { refreshToken, accessToken } = response
  return { ...response, refreshToken: labels.of(refreshToken), accessToken: labels.of(accessToken) }
}

const toGrant = ({ session, userId }: Pick<Grant, 'session' | 'userId'>, response: ReadResponse): Grant | undefined => {
  if (response.kind !== 'granted') return undefined
  const { sessionId, refreshToken, accessToken } = response
  return { session, userId, sessionId, refreshToken, accessToken }
}

/** Labels of tokens, so that no token gets into a history. */
interface TokenLabels {
  /**
   * Returns `r1`, `r2`, … for refresh tokens and `a1`, `a2`, … for access tokens, in the order in
   * which they first appear.
   */
  readonly of: (token: string) => string
}

/** Creates labels that count from 1. */
const createTokenLabels = (): TokenLabels => {
  const labels = new Map<string, string>()
  const counts = { r: 0, a: 0 }
  return {
    of: (token) => {
      const known = labels.get(token)
      if (known !== undefined) return known
      const kind = token.startsWith('jwtauth_rt_') ? 'r' : 'a'
      counts[kind] += 1
      const label = `${kind}${counts[kind]}`
      labels.set(token, label)
      return label
    },
  }
}

import type { HttpAnswer } from '../http-client.js'
import type { History, Operation, Outcome } from './operation.js'
import { type ReadAnswer, readAnswer } from './read-outcome.js'
import { createTokenLabels, type TokenLabels } from './token-labels.js'

/** What a client holds of its session after an answer. */
export interface Grant {
  /** The session's name in the history. */
  readonly session: string
  readonly userId: number
  /** The session's id. */
  readonly sessionId: string
  readonly refreshToken: string
  readonly accessToken: string
}

/** What became of a login or a refresh. */
export interface PairAnswer {
  readonly outcome: Outcome
  /** `undefined` when no pair was answered. */
  readonly grant: Grant | undefined
}

/** What is known of an operation before it is sent. */
type Request = Pick<Operation, 'kind' | 'session' | 'userId' | 'instance' | 'isFinal'> & {
  /** The token itself; the history gets its label. */
  readonly token: string | undefined
}

/** Operations as they are carried out. */
export interface OperationLog {
  /** Everything that has ended so far, in the order in which it began. */
  readonly history: () => History
  /** Carries out an operation and writes it down. Never rejects: one without an answer is `lost`. */
  readonly carryOut: (request: Request, send: () => Promise<HttpAnswer>) => Promise<PairAnswer>
  /** The pair of each session whose request began last. */
  readonly newestGrants: () => readonly Grant[]
}

/** Makes an empty log. `now` is a monotonic clock, in milliseconds. */
export const createOperationLog = (now: () => number): OperationLog => {
  const operations: Operation[] = []
  const newest = new Map<string, { readonly grant: Grant; readonly begin: number }>()
  const labels = createTokenLabels()
  let begun = 0

  return {
    history: () => operations.toSorted((a, b) => a.number - b.number),

    carryOut: async ({ token, ...request }, send) => {
      begun += 1
      const number = begun
      const presented = token === undefined ? undefined : labels.of(token)
      const begin = now()
      const answer = await readSent(request.kind, send)
      const outcome = withLabels(answer, labels)
      operations.push({ ...request, number, presented, begin, end: now(), outcome })
      const grant = toGrant(request, answer)
      if (grant !== undefined && begin >= (newest.get(grant.session)?.begin ?? 0)) {
        newest.set(grant.session, { grant, begin })
      }
      return { outcome, grant }
    },

    newestGrants: () => [...newest.values()].map(({ grant }) => grant),
  }
}

const readSent = async (kind: Operation['kind'], send: () => Promise<HttpAnswer>): Promise<ReadAnswer> => {
  try {
    return readAnswer(kind, await send())
  } catch {
    return { kind: 'lost' }
  }
}

const withLabels = (answer: ReadAnswer, labels: TokenLabels): Outcome => {
  if (answer.kind !== 'granted') return answer
  const { refreshToken, accessToken } = answer
  return { ...answer, refreshToken: labels.of(refreshToken), accessToken: labels.of(accessToken) }
}

const toGrant = ({ session, userId }: Pick<Grant, 'session' | 'userId'>, answer: ReadAnswer): Grant | undefined => {
  if (answer.kind !== 'granted') return undefined
  const { sessionId, refreshToken, accessToken } = answer
  return { session, userId, sessionId, refreshToken, accessToken }
}

/**
 * One request to the service as its client saw it. Tokens go by a label (`r3` is the third refresh token the
 * log saw): a history holds no secret and may be printed.
 */
export interface Operation {
  /** 1 for the first that began. */
  readonly number: number
  readonly kind: OfSession | OfUser
  /** The requester: the client that logged in once and holds what came of it. {@link everySession} for what concerns them all. */
  readonly session: string
  /** Whom the requester logged in as. */
  readonly userId: number
  /** Where the request went. */
  readonly instance: string
  /** The label of the refresh or access token presented; `undefined` for a login. */
  readonly presented: string | undefined
  /** Milliseconds on the recorder's monotonic clock, before the request was written. */
  readonly begin: number
  /** The same clock, after the answer was read or given up. */
  readonly end: number
  readonly outcome: Outcome
  /** Whether it looks at what is left when all is over. */
  readonly isFinal: boolean
}

/** An operation on one session. `create` is a login without a password, and `revoke` may be the application's. */
type OfSession = 'login' | 'create' | 'refresh' | 'authorize' | 'validate' | 'revoke'

/** An operation of the application on all sessions of a user. `purge` and `list` end none. */
export type OfUser = 'revoke-all' | 'change-password' | 'purge' | 'list'

/** The session of an operation that concerns every session of its user. */
export const everySession = 'every session'

/** What the client of an operation knows of it. */
export type Outcome =
  /** A login or a refresh was answered with a pair. */
  | {
      readonly kind: 'granted'
      readonly userId: unknown
      readonly sessionId: string
      readonly refreshToken: string
      readonly accessToken: string
    }
  /** The guard let the request in and named the caller, or validate called the token valid and named nobody. */
  | { readonly kind: 'let-in'; readonly caller: Caller | undefined }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'already-revoked' }
  /** The application's operation on all sessions of a user took place. */
  | { readonly kind: 'done' }
  /** The token or the password presented is valid no more. */
  | { readonly kind: 'refused' }
  /** The service could not do it: 503, or 500 for a revoke. It may have been done all the same. */
  | { readonly kind: 'failed' }
  /** No answer came. It may have been done or not. */
  | { readonly kind: 'lost' }
  /** An answer that the contract does not know for this. */
  | { readonly kind: 'unexpected'; readonly detail: string }

/** Whom the guarded route took the caller for. */
export interface Caller {
  readonly userId: unknown
  readonly sessionId: unknown
}

/** Operations in the order in which they began. */
export type History = readonly Operation[]

/** An operation in one line. */
export const describeOperation = (operation: Operation): string => {
  const { number, kind, session, userId, instance, presented, begin, end, outcome, isFinal } = operation
  const what = presented === undefined ? kind : `${kind} with ${presented}`
  const when = `${begin.toFixed(2)} to ${end.toFixed(2)} ms`
  const final = isFinal ? ', a final read' : ''
  return `#${number} ${what} by ${session} of user ${userId} at ${instance}, ${when}${final}: ${describeOutcome(outcome)}`
}

const describeOutcome = (outcome: Outcome): string => {
  switch (outcome.kind) {
    case 'granted':
      return `granted ${outcome.refreshToken} and ${outcome.accessToken} to user ${outcome.userId}, session ${outcome.sessionId}`
    case 'let-in':
      return outcome.caller === undefined
        ? 'let in'
        : `let in as user ${outcome.caller.userId}, session ${outcome.caller.sessionId}`
    case 'unexpected':
      return `unexpected, ${outcome.detail}`
    default:
      return outcome.kind
  }
}

/**
 * One request to the service as its client saw it. Tokens have labels (`r3` is the third refresh
 * token in the log), so that a history holds no secret and may be printed.
 */
export interface Operation {
  /** Counts the operations from 1, in the order of their starts. */
  readonly number: number
  readonly kind: OfSession | OfUser
  /** The name of the session. {@link everySession} for an operation on all sessions of a user. */
  readonly session: string
  /** The user that the requester logged in as. */
  readonly userId: number
  /** The instance that received the request. */
  readonly instance: string
  /** The label of the presented token. `undefined` for a login. */
  readonly presented: string | undefined
  /** Before the request was sent, in milliseconds on a monotonic clock. */
  readonly start: number
  /** After the response was read or the request failed, on the same clock. */
  readonly end: number
  readonly outcome: Outcome
  /** Whether the operation reads the final state. */
  readonly isFinal: boolean
}

/**
 * An operation on one session. `create` is a login without a password. The application, too, may
 * send `revoke`.
 */
type OfSession = 'login' | 'create' | 'refresh' | 'authorize' | 'validate' | 'revoke'

/** An operation of the application on all sessions of a user. `purge` and `list` end no session. */
export type OfUser = 'revoke-all' | 'change-password' | 'purge' | 'list'

/** The session of an operation on all sessions of a user. */
export const everySession = 'every session'

/** The outcome of an operation as its client knows it. */
export type Outcome =
  /** A login or a refresh returned a pair of tokens. */
  | {
      readonly kind: 'granted'
      readonly userId: unknown
      readonly sessionId: string
      readonly refreshToken: string
      readonly accessToken: string
    }
  /**
   * The guard authenticated the request and named the caller, or validate accepted the token and
   * named no caller.
   */
  | { readonly kind: 'authenticated'; readonly caller: Caller | undefined }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'already-revoked' }
  /** The operation on all sessions of a user took place. */
  | { readonly kind: 'done' }
  /** The presented token or password is no longer valid. */
  | { readonly kind: 'refused' }
  /** The service failed: 503, or 500 for a revocation. The operation may have taken place. */
  | { readonly kind: 'failed' }
  /** No response arrived. The operation may have taken place or not. */
  | { readonly kind: 'lost' }
  /** The response is not in the contract of this operation. */
  | { readonly kind: 'unexpected'; readonly detail: string }

/** The user and session that the guarded route named. */
export interface Caller {
  readonly userId: unknown
  readonly sessionId: unknown
}

/** Operations in the order of their starts. */
export type History = readonly Operation[]

/** Describes an operation in one line. */
const describeOperation = (operation: Operation): string => {
  const { number, kind, session, userId, instance, presented, start, end, outcome, isFinal } = operation
  const what = presented === undefined ? kind : `${kind} with ${presented}`
  const when = `${start.toFixed(2)} to ${end.toFixed(2)} ms`
  const final = isFinal ? ', a final read' : ''
  return `#${number} ${what} by ${session} of user ${userId} at ${instance}, ${when}${final}: ${describeOutcome(outcome)}`
}

const describeOutcome = (outcome: Outcome): string => {
  switch (outcome.kind) {
    case 'granted':
      return `granted ${outcome.refreshToken} and ${outcome.accessToken} to user ${outcome.userId}, session ${outcome.sessionId}`
    case 'authenticated':
      return outcome.caller === undefined
        ? 'authenticated'
        : `authenticated as user ${outcome.caller.userId}, session ${outcome.caller.sessionId}`
    case 'unexpected':
      return `unexpected, ${outcome.detail}`
    default:
      return outcome.kind
  }
}

/** A broken promise. */
export interface Violation {
  /** The promise. */
  readonly rule: string
  /** How it was broken. */
  readonly text: string
  /** The operations that show it. */
  readonly operations: readonly Operation[]
}

/** Describes a violation and its operations, one per line. */
export const describeViolation = ({ rule, text, operations }: Violation): string =>
  [`${rule}: ${text}`, ...operations.map((operation) => `  ${describeOperation(operation)}`)].join('\n')

/** The settings of the service that wrote a history, and the tolerances of the checker. */
export interface HistorySettings {
  /** The grace window of replaced refresh tokens, in milliseconds. */
  readonly graceMs: number
  /**
   * How long after its end a failed or lost request may still take effect, in milliseconds.
   * @default 0
   */
  readonly lateEffectMs?: number
  /** The option of the same name. @default no limit */
  readonly maxSessionsPerUser?: number
}

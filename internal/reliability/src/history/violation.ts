import { describeOperation, type Operation } from './operation.js'

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

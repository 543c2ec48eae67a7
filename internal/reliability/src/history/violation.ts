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

import { describeOperation, type Operation } from './operation.js'

/** A promise that a history breaks. */
export interface Violation {
  /** The promise, as the checker names it. */
  readonly rule: string
  readonly text: string
  /** The operations that show it. */
  readonly operations: readonly Operation[]
}

/** The violation and its operations, each on a line. */
export const describeViolation = ({ rule, text, operations }: Violation): string =>
  [`${rule}: ${text}`, ...operations.map((operation) => `  ${describeOperation(operation)}`)].join('\n')

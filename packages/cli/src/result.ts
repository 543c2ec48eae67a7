/** What a command found: for people as text, and for programs as JSON. */
export interface Result {
  readonly text: string
  readonly json: unknown
  /** Whether the command found a problem. The command then exits with 1. @default false */
  readonly isProblem?: boolean
}

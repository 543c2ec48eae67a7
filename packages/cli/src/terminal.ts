import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import type { CallOptions } from '@jwt-auth/core'
import { createDeadline, machineSystem, onAbort, type System } from '@jwt-auth/core/internal'

/** What a command found: for people as text, and for programs as JSON. */
export interface Result {
  readonly text: string
  readonly json: unknown
  /** Whether the command found a problem. The command then exits with 1. @default false */
  readonly isProblem?: boolean
}

/** What the command reads and writes. Results go to `stdout`, and everything else to `stderr`. */
export interface Terminal {
  readonly stdin: NodeJS.ReadStream | NodeJS.ReadableStream
  readonly stdout: { readonly write: (text: string) => unknown }
  readonly stderr: { readonly write: (text: string) => unknown; readonly isTTY?: boolean }
  readonly now: () => number
  /** Aborts when the command is interrupted. */
  readonly signal: AbortSignal
  /** @default the timers of the machine */
  readonly startTimer?: System['startTimer']
}

/** Wrong usage or a wrong configuration. The command exits with 2. */
export class UsageError extends Error {}

const isInteractive = (stdin: Terminal['stdin']): boolean => 'isTTY' in stdin && stdin.isTTY === true

/**
 * Asks before something is ended.
 *
 * @throws UsageError if the answer is no, or nobody can be asked
 */
export const requireConsent = async ({ stdin, stderr, signal }: Terminal, question: string): Promise<void> => {
  if (!isInteractive(stdin)) throw new UsageError(`${question} Add --yes, because no terminal can be asked.`)
  const lines = createInterface({ input: stdin })
  stderr.write(`${question} [y/N] `)
  const answer = await lines.question('', { signal }).finally(() => lines.close())
  if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('Nothing was ended.')
}

const timeoutMs = 5_000

/**
 * Calls a function of the configuration. Rejects if it takes longer than 5 s, and when the command
 * is interrupted.
 */
export const callInTime = <T>(
  terminal: Terminal,
  name: string,
  call: (options: CallOptions) => Promise<T>,
): Promise<T> => {
  const interruption = new Promise<never>((_, reject) => void onAbort(terminal, reject))
  return Promise.race([createDeadline(timeoutMs, { ...machineSystem, ...terminal }, name)(call), interruption])
}

/** Reads all of standard input. */
export const readStdin = async ({ stdin, stderr }: Terminal, what: string): Promise<string> => {
  if (isInteractive(stdin)) stderr.write(`Paste the ${what}, and press Enter and Ctrl-D:\n`)
  return (await text(stdin)).trim()
}

/**
 * Writes a line to stderr for each thousand that a long command has completed. Takes and returns
 * the count of a batch.
 */
export const createProgress = ({ stderr }: Terminal, what: string): ((count: number) => number) => {
  let total = 0
  return (count) => {
    total += count
    if (total % 1_000 < count) stderr.write(`${total} ${what}…\n`)
    return count
  }
}

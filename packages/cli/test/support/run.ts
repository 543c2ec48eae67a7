import { Readable } from 'node:stream'
import { runCli } from '../../src/run-cli.js'
import type { Terminal } from '../../src/terminal.js'

/** What a command printed, and its exit code. */
export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** How a terminal differs from one that nobody types into. */
export interface TerminalSetup {
  readonly input?: string
  readonly isInteractive?: boolean
  readonly now?: number | undefined
  readonly signal?: AbortSignal
  readonly startTimer?: NonNullable<Terminal['startTimer']>
}

/** Creates a terminal, and the function that returns what was printed. */
export const createTerminal = ({
  input = '',
  isInteractive = false,
  now = Date.now(),
  signal = new AbortController().signal,
  startTimer,
}: TerminalSetup = {}) => {
  const printed = { stdout: '', stderr: '' }
  const terminal: Terminal = {
    stdin: Object.assign(Readable.from([input]), { isTTY: isInteractive }),
    stdout: { write: (text) => (printed.stdout += text) },
    stderr: { write: (text) => (printed.stderr += text) },
    now: () => now,
    signal,
    ...(startTimer && { startTimer }),
  }
  return { terminal, printed }
}

/** Runs a command line in this process. */
export const run = async (args: readonly string[], setup: TerminalSetup = {}): Promise<Outcome> => {
  const { terminal, printed } = createTerminal(setup)
  const exitCode = await runCli(args, terminal)
  return { exitCode, ...printed }
}

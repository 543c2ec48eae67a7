import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** How a server's program is started. */
export interface ServerCommand {
  readonly command: string
  readonly args: readonly string[]
  /** A part of the line of its output that says that it takes connections. */
  readonly readyLine: string
  /** Ends it at once together with the processes it started. @default 'SIGKILL' */
  readonly crashSignal?: NodeJS.Signals
  /** Whom it runs as; `undefined` for this process's own user. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
}

/** A server's program, running. */
export interface ServerProcess {
  /** Sends a signal and waits until the process is gone. */
  readonly stop: (signal: NodeJS.Signals) => Promise<void>
}

/**
 * Starts a server's program and answers when it takes connections. Rejects with the last lines it printed when it ends before.
 * A server that is still running when this process ends is ended with it.
 */
export const startServerProcess = async ({
  command,
  args,
  readyLine,
  user,
  crashSignal = 'SIGKILL',
}: ServerCommand): Promise<ServerProcess> => {
  // Servers talk in the language of their environment.
  const env = { ...process.env, LC_ALL: 'C' }
  // Detached: Ctrl-C at a terminal reaches a whole group of processes, and would end the server under its test.
  const child = spawn(command, args, { ...user, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const crash = (): boolean => child.kill(crashSignal)
  process.once('exit', crash)
  child.once('exit', () => process.off('exit', crash))
  await untilReady(child, command, readyLine)
  return { stop: (signal) => stop(child, signal) }
}

const untilReady = (
  child: ChildProcess & { readonly stdout: Readable; readonly stderr: Readable },
  command: string,
  readyLine: string,
): Promise<void> =>
  new Promise((resolve, reject) => {
    let lastLines: readonly string[] = []
    const look = (line: string): void => {
      lastLines = [...lastLines, line].slice(-10)
      if (line.includes(readyLine)) resolve()
    }
    createInterface({ input: child.stdout }).on('line', look)
    createInterface({ input: child.stderr }).on('line', look)
    child.once('error', reject)
    child.once('close', () => reject(new Error([`${command} ended before it was ready:`, ...lastLines].join('\n'))))
  })

const stop = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill(signal)
  await exit
}

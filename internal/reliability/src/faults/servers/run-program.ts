import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { SystemUser } from './system-user.js'

/** A program that does something and ends. */
export interface ProgramRun {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** Whom it runs as; `undefined` for this process's own user. */
  readonly user?: SystemUser | undefined
}

/**
 * Runs a program to its end; rejects with what it wrote to stderr when that is no good one. It has a process group of its own:
 * Ctrl-C at a terminal reaches a whole group, and this process is the one to decide what it ends.
 */
export const runProgram = async ({ command, args, cwd, user }: ProgramRun): Promise<void> => {
  const child = spawn(command, args, { ...user, cwd, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  const end = (): boolean => child.kill('SIGKILL')
  process.once('exit', end)
  try {
    const [[code, signal], complaint] = await Promise.all([once(child, 'close'), text(child.stderr)])
    if (code !== 0) throw new Error(`${command} ended with ${code ?? signal}: ${complaint}`)
  } finally {
    process.off('exit', end)
  }
}

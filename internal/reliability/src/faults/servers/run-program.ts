import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { SystemUser } from './system-user.js'

/** A program that runs to its end. */
export interface ProgramRun {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The user that it runs as. `undefined` for the user of this process. */
  readonly user?: SystemUser | undefined
}

/**
 * Runs a program to its end. Rejects with its stderr when its exit code is not 0. The program has its own process group, since
 * Ctrl-C at a terminal reaches a whole group and this process decides what to end.
 */
export const runProgram = async ({ command, args, cwd, user }: ProgramRun): Promise<void> => {
  const child = spawn(command, args, { ...user, cwd, stdio: ['ignore', 'ignore', 'pipe'], detached: true })
  const end = (): boolean => child.kill('SIGKILL')
  process.once('exit', end)
  try {
    const [[code, signal], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)])
    if (code !== 0) throw new Error(`${command} ended with ${code ?? signal}: ${stderr}`)
  } finally {
    process.off('exit', end)
  }
}

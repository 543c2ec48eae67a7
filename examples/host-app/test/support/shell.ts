import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The HTTP statuses and bodies that the lines printed in a shell. */
interface Shown {
  readonly statuses: readonly string[]
  readonly bodies: readonly object[]
}

/** Returns the lines of the output that are written for a shell, including comments. */
export const readShellLines = (printed: string): readonly string[] =>
  [...printed.matchAll(/^ {2}(.*)$/gm)].flatMap(([, line = '']) => line)

/** Runs the lines one by one in each supported shell of this machine. Rejects when a line fails. */
export const pasteIntoShells = async (lines: readonly string[], signal: AbortSignal): Promise<readonly Shown[]> => {
  const shells = await Promise.all(['bash', 'dash', 'zsh'].map(findShell))
  return Promise.all(shells.flat().map((shell) => pasteInto(shell, lines, signal)))
}

const findShell = (shell: string): Promise<readonly string[]> =>
  run(shell, ['-c', ':']).then(
    () => [shell],
    () => [],
  )

const pasteInto = async (shell: string, lines: readonly string[], signal: AbortSignal): Promise<Shown> => {
  const running = run(shell, ['-eu'], { signal })
  running.child.stdin?.end(['exec 2>&1', ...lines, ''].join('\n'))
  const { stdout } = await running
  const shown = stdout.split('\n').filter(Boolean)
  return {
    statuses: shown.flatMap((line) => /^HTTP (\d+)$/.exec(line)?.[1] ?? []),
    bodies: shown.filter((line) => !line.startsWith('HTTP ')).map(parseObject),
  }
}

const parseObject = (text: string): object => Object(JSON.parse(text))

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { parseJson } from './http-client.js'

/** The lines of a start's output that are meant for a shell. */
export const readShellLines = (printed: string): readonly string[] =>
  printed.match(/^ {2}(PAIR=|read_pair|curl).*$/gm) ?? []

/** Runs lines as if they were pasted into bash one by one, and reads the JSON that they print. */
export const pasteIntoBash = async (lines: readonly string[], signal: AbortSignal): Promise<readonly unknown[]> => {
  const { stdout } = await promisify(execFile)('bash', ['-euc', lines.join('\necho\n')], { signal })
  return stdout.split('\n').filter(Boolean).map(parseJson)
}

import { parseArgs } from 'node:util'
import { formatReport } from '../format-report.js'
import { type CaseResult, runConformance, type SelectableCase } from '../run-conformance.js'
import { loadAdapter } from './load-adapter.js'

/** The output of the command: the report goes to `stdout`, everything else to `stderr`. */
type Terminal = Readonly<Record<'stdout' | 'stderr', { readonly write: (text: string) => unknown }>>

const usage = `usage: npx @jwt-auth/storage-conformance [--only <text>] [--seconds <number>] <module>

Runs the conformance suite on the storage adapter of <module>. The module exports createStorage, which may be its default
export, and the other functions that https://npmjs.com/package/@jwt-auth/storage-conformance describes.

  --only <text>       runs the cases of the capability with this name, or whose titles contain the text; repeatable
  --seconds <number>  the time limit of a case, 10 by default

Exits with 0 if every case ran and passed, and with 1 otherwise. With --only, exits with 0 if every selected case passed.
`

const incomplete = `Not every case ran.
Export createFailingStorage, createInterruptedStorages, createHeldStorage, createSharedStorages, createProcessStorages and
createDamageableStorage to run them all.
`

const selected = 'Only the selected cases ran. Run all of them before you publish the adapter.\n'
const nothingSelected = 'jwt-auth-storage-conformance: --only selects no case that can run.\n'

/**
 * Runs the cases on the adapter that a module exports, and prints the report. Resolves to the exit
 * code: 0 if every case ran and passed, or every case that `--only` selects, and 1 otherwise. Wrong
 * usage prints one message.
 */
export const runCli = async (args: readonly string[], { stdout, stderr }: Terminal): Promise<0 | 1> => {
  const command = parseCommand(args)
  if (command === undefined) {
    stderr.write(usage)
    return 1
  }
  const adapter = await loadAdapter(command.path)
  if (typeof adapter === 'string') {
    stderr.write(`jwt-auth-storage-conformance: ${adapter}\n`)
    return 1
  }
  const onCase = (result: CaseResult) => stderr.write(formatProgress(result))
  const { only, caseLimitMs } = command
  const isSelected = ({ capability, title }: SelectableCase): boolean =>
    only === undefined || only.some((text) => capability === text || title.includes(text))
  const report = await runConformance(adapter, { caseLimitMs, onCase, only: isSelected })
  stdout.write(formatReport(report))
  if (only !== undefined) {
    const { results } = report
    stderr.write(results.length === 0 ? nothingSelected : selected)
    return results.length > 0 && results.every(({ outcome }) => outcome === 'passed') ? 0 : 1
  }
  if (report.notChecked.length > 0) stderr.write(incomplete)
  return report.isConformant ? 0 : 1
}

const parseCommand = (args: readonly string[]) => {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { only: { type: 'string', multiple: true }, seconds: { type: 'string' } },
    })
    const [path] = positionals
    const { only, seconds } = values
    if (path === undefined || positionals.length !== 1 || !/^[1-9]\d*$/.test(seconds ?? '1')) return undefined
    return { path, only, caseLimitMs: seconds === undefined ? undefined : Number(seconds) * 1_000 }
  } catch {
    return undefined
  }
}

const formatProgress = ({ outcome, capability, title }: CaseResult): string =>
  `${outcome === 'passed' ? 'passed' : 'FAILED'}  ${capability}: ${title}\n`

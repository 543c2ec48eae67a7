import { formatReport, toFirstLine } from '../format-report.js'
import { type CaseResult, runConformance } from '../run-conformance.js'
import { loadAdapter } from './load-adapter.js'

interface Output {
  readonly write: (text: string) => unknown
}

/** Where the command writes: the table to `stdout`, all else to `stderr`. */
export interface Terminal {
  readonly stdout: Output
  readonly stderr: Output
}

const usage = `usage: jwt-auth-storage-conformance <module>

<module> exports createStorage (by that name or as the default), which answers a fresh, empty storage,
createFailingStorage(), createInterruptedStorages(moment), createHeldStorage() and createSharedStorages(), and may export
close(storage).
`

const incomplete = `Not everything was checked.
Export createFailingStorage, createInterruptedStorages, createHeldStorage and createSharedStorages to have it all.
`

/**
 * The command: runs every case on the adapter of a module and prints the report. Answers the exit code, 0 when every
 * promise was checked and held, and 1 otherwise; wrong usage is explained in one message.
 */
export const runCli = async (args: readonly string[], { stdout, stderr }: Terminal): Promise<0 | 1> => {
  const [path] = args
  if (path === undefined || args.length !== 1 || path.startsWith('-')) {
    stderr.write(usage)
    return 1
  }
  const loaded = await loadAdapter(path)
  if (loaded.outcome === 'refused') {
    stderr.write(`jwt-auth-storage-conformance: ${loaded.reason}\n`)
    return 1
  }
  const onCase = (result: CaseResult) => stderr.write(formatProgress(result))
  const report = await runConformance(loaded.createStorage, { ...loaded.options, onCase })
  stdout.write(formatReport(report))
  if (report.notChecked.length > 0) stderr.write(incomplete)
  return report.isConformant ? 0 : 1
}

const formatProgress = ({ outcome, capability, title, failure }: CaseResult): string =>
  outcome === 'held'
    ? `held    ${capability}: ${title}\n`
    : `BROKEN  ${capability}: ${title}\n        ${toFirstLine(failure)}\n`

import { formatReport, toFirstLine } from '../format-report.js'
import { type CaseResult, runConformance } from '../run-conformance.js'
import { loadAdapter } from './load-adapter.js'

interface Output {
  readonly write: (text: string) => unknown
}

/** The output of the command: the report goes to `stdout`, everything else to `stderr`. */
export interface Terminal {
  readonly stdout: Output
  readonly stderr: Output
}

const usage = `usage: jwt-auth-storage-conformance <module>

Runs the conformance suite on a storage adapter. <module> exports:

  createStorage()                    an empty storage; may be the default export
  createFailingStorage()             a storage whose backend fails every call
  createInterruptedStorages(moment)  two storages on one empty backend; the backend fails each write of the first
  createHeldStorage()                an empty storage, and the function that keeps its backend from responding
  createSharedStorages()             two storages on one empty backend
  close(storage)                     optional; called with each storage after its case

Exits with 0 if every case ran and passed, and with 1 otherwise.
`

const incomplete = `Not every case ran.
Export createFailingStorage, createInterruptedStorages, createHeldStorage and createSharedStorages to run them all.
`

/**
 * Runs every case on the adapter that a module exports, and prints the report. Resolves to the exit code: 0 if every case ran and
 * passed, and 1 otherwise. Wrong usage prints one message.
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
  outcome === 'passed'
    ? `passed  ${capability}: ${title}\n`
    : `FAILED  ${capability}: ${title}\n        ${toFirstLine(failure)}\n`

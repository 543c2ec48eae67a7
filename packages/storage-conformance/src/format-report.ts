import { stripVTControlCharacters } from 'node:util'
import { type Capability, capabilities } from './conformance-case.js'
import type { CaseResult, ConformanceReport } from './run-conformance.js'

/**
 * Formats a report as plain text. Each capability has one line with the number of passed and failed
 * cases. The titles of failed cases follow, each with its failure. The last line has the totals.
 *
 * @example
 * ```ts
 * console.log(formatReport(await runConformance(createStorage)))
 * ```
 */
export const formatReport = ({ results, notChecked }: ConformanceReport): string => {
  const lines = capabilities.flatMap((capability) => {
    if (notChecked.includes(capability)) return [`${nameColumn(capability)}  not checked`]
    const own = results.filter((result) => result.capability === capability)
    return own.length === 0 ? [] : formatCapability(capability, own)
  })
  return `${lines.join('\n')}\n\n${formatCounts(results)}\n`
}

const nameWidth = Math.max(...capabilities.map(({ length }) => length))

const nameColumn = (capability: Capability): string => capability.padEnd(nameWidth)

const formatCapability = (capability: Capability, results: readonly CaseResult[]): readonly string[] => {
  const failed = results.filter(({ outcome }) => outcome === 'failed')
  const details = failed.flatMap(({ title, failure }) => [
    `  - ${title}`,
    describeFailure(failure).replaceAll(/^/gm, '      '),
  ])
  return [`${nameColumn(capability)}  ${formatCounts(results)}`, ...details]
}

const formatCounts = (results: readonly CaseResult[]): string => {
  const passed = results.filter(({ outcome }) => outcome === 'passed').length
  return `${String(passed).padStart(3)} passed  ${String(results.length - passed).padStart(3)} failed`
}

const maxLines = 30

/**
 * Describes the failure of a case. Of a long comparison, returns only the lines that differ.
 */
export const describeFailure = (failure: unknown): string => {
  const message = failure instanceof Error ? failure.message : String(failure)
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .filter((line) => line.trim() !== '')
  const differing = lines.filter((line) => /^[+-] /.test(line))
  const shown = lines.length > maxLines && differing.length > 0 ? differing : lines
  return shown.slice(0, maxLines).join('\n')
}

import { type Capability, capabilities } from './conformance-case.js'
import type { CaseResult, ConformanceReport } from './run-conformance.js'

/**
 * A report as plain text: a line for each capability with how many of its promises were held and broken, below it each
 * broken promise with the first line of its failure, and a line that sums up.
 */
export const formatReport = ({ results, notChecked }: ConformanceReport): string => {
  const lines = capabilities.flatMap((capability) => {
    if (notChecked.includes(capability)) return [`${nameColumn(capability)}  not checked`]
    const own = results.filter((result) => result.capability === capability)
    return own.length === 0 ? [] : formatCapability(capability, own)
  })
  return `${lines.join('\n')}\n\n${formatCounts(results)}\n`
}

/** The first line of a failure, on one line. */
export const toFirstLine = (failure: unknown): string => {
  const text = failure instanceof Error ? failure.message : String(failure)
  const [line = ''] = text.split('\n').filter((each) => each.trim() !== '')
  return line.trim()
}

const nameWidth = Math.max(...capabilities.map(({ length }) => length))

const nameColumn = (capability: Capability): string => capability.padEnd(nameWidth)

const formatCapability = (capability: Capability, results: readonly CaseResult[]): readonly string[] => {
  const broken = results.filter(({ outcome }) => outcome === 'broken')
  const details = broken.flatMap(({ title, failure }) => [`  - ${title}`, `      ${toFirstLine(failure)}`])
  return [`${nameColumn(capability)}  ${formatCounts(results)}`, ...details]
}

const formatCounts = (results: readonly CaseResult[]): string => {
  const held = results.filter(({ outcome }) => outcome === 'held').length
  return `${String(held).padStart(3)} held  ${String(results.length - held).padStart(3)} broken`
}

import { AssertionError } from 'node:assert'
import { inspect, isDeepStrictEqual } from 'node:util'
import { type Capability, capabilities } from './conformance-case.js'
import type { CaseResult, ConformanceReport } from './run-conformance.js'

/**
 * Formats a report as plain text. Each capability has one line with the number of passed and failed
 * cases. The titles of failed cases follow, each with its failure in one line. The last line has
 * the totals.
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
  const details = failed.flatMap(({ title, failure }) => [`  - ${title}`, `      ${describeFailure(failure)}`])
  return [`${nameColumn(capability)}  ${formatCounts(results)}`, ...details]
}

const formatCounts = (results: readonly CaseResult[]): string => {
  const passed = results.filter(({ outcome }) => outcome === 'passed').length
  return `${String(passed).padStart(3)} passed  ${String(results.length - passed).padStart(3)} failed`
}

/** Returns the first line of an error's message that is not empty. */
export const toFirstLine = (failure: unknown): string => {
  const text = failure instanceof Error ? failure.message : String(failure)
  const [line = ''] = text.split('\n').filter((each) => each.trim() !== '')
  return line.trim()
}

/**
 * Describes the failure of a case in one line. The message of a failed comparison has the values on
 * later lines, so the line names the first difference: `at [0].label: expected null, received ''`.
 */
export const describeFailure = (failure: unknown): string => {
  const isComparison = failure instanceof AssertionError && /equal$/i.test(failure.operator) && failure.generatedMessage
  return isComparison ? findDifference(failure.actual, failure.expected, '') : toFirstLine(failure)
}

const findDifference = (actual: unknown, expected: unknown, path: string): string => {
  if (isPlain(actual) && isPlain(expected) && Array.isArray(actual) === Array.isArray(expected)) {
    const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])]
    const name = names.find((each) => !isDeepStrictEqual(Reflect.get(actual, each), Reflect.get(expected, each)))
    const step = Array.isArray(actual) ? `[${name}]` : `.${name}`
    if (name !== undefined) {
      return findDifference(Reflect.get(actual, name), Reflect.get(expected, name), `${path}${step}`)
    }
  }
  const place = path === '' ? '' : `at ${path}: `
  return `${place}expected ${toShortText(expected)}, received ${toShortText(actual)}`
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)

const maxLength = 120

const toShortText = (value: unknown): string => {
  const text = inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 1 })
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text
}

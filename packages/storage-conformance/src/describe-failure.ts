import { AssertionError } from 'node:assert'
import { inspect, isDeepStrictEqual } from 'node:util'

/** Returns the first line of an error's message that is not empty. */
export const toFirstLine = (failure: unknown): string => {
  const text = failure instanceof Error ? failure.message : String(failure)
  const [line = ''] = text.split('\n').filter((each) => each.trim() !== '')
  return line.trim()
}

/**
 * Describes the failure of a case in one line. The message of a failed comparison has the values on later lines, so the line
 * names the first difference: `at [0].label: expected null, received ''`.
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

const longest = 120

const toShortText = (value: unknown): string => {
  const text = inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 1 })
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}

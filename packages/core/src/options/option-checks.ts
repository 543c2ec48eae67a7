import { optionError } from '../errors/option-error.js'

/** Checks that an options object has no member beside the known ones: a misspelt option would be one that was not set. */
export const checkOptionNames = (options: object, known: Readonly<Record<string, true>>, of: string): void => {
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return
  throw new TypeError(`jwt-auth: ${of} has no option \`${unknown}\`; it knows ${Object.keys(known).join(', ')}.`)
}

/** Reads a whole number within a range; `undefined` takes the default. */
export const readInteger = (
  name: string,
  value: unknown,
  range: { readonly min: number; readonly max: number; readonly default: number; readonly unit: string },
): number => {
  if (value === undefined) return range.default
  if (typeof value === 'number' && Number.isInteger(value) && value >= range.min && value <= range.max) return value
  throw optionError(name, `a whole number of ${range.unit} from ${range.min} to ${range.max}`, value)
}

/** Reads a whole number within a range; `undefined` stays `undefined`. */
export const readOptionalInteger = (
  name: string,
  value: unknown,
  range: { readonly min: number; readonly max: number; readonly unit: string },
): number | undefined => (value === undefined ? undefined : readInteger(name, value, { ...range, default: range.min }))

/** Reads a function; `undefined` takes the default. */
export const readFunction = <F>(name: string, value: F | undefined, fallback: F): F => {
  if (value === undefined) return fallback
  if (typeof value === 'function') return value
  throw optionError(name, 'a function', value)
}

/** Reads a boolean; `undefined` is `false`. */
export const readBoolean = (name: string, value: unknown): boolean => {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw optionError(name, 'true or false', value)
}

/** Reads a non-empty string. */
export const readText = (name: string, value: unknown, expected: string): string => {
  if (typeof value === 'string' && value !== '' && value.isWellFormed()) return value
  throw optionError(name, expected, value)
}

/** Reads an object that has these methods: a port the host hands in. */
export const readPort = <P extends object>(name: string, value: P, methods: readonly (keyof P & string)[]): P => {
  if (typeof value !== 'object' || value === null) {
    throw optionError(name, `an object with the methods ${methods.join(', ')}`, value)
  }
  const missing = methods.filter((method) => typeof value[method] !== 'function')
  if (missing.length === 0) return value
  throw new TypeError(`jwt-auth: option \`${name}\` lacks the method(s) ${missing.join(', ')}.`)
}

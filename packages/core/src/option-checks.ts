import { types } from 'node:util'
import { toAddress } from './documentation.js'
import type { EpochMs } from './system.js'

/**
 * Creates the error for a wrong use of this library. The message ends with the address of the
 * documentation.
 *
 * @param name The function, the option or the member of an option, such as `dpop.bind`.
 */
export const usageError = (name: string, sentence: string): TypeError =>
  new TypeError(`jwt-auth: ${sentence}\nSee ${toAddress('options', /\w+/.exec(name)?.[0] ?? '')}`)

/** Creates the error for a call that is used wrong. The message starts with the name. */
export const callError = (name: string, problem: string): TypeError => usageError(name, `${name} ${problem}`)

/**
 * Creates the error for an option of the wrong type or range. Never prints a string, because it may
 * be a secret.
 *
 * @param options `isSecret` hides numbers and booleans too.
 */
export const optionError = (
  name: string,
  expected: string,
  received: unknown,
  { isSecret = false }: { readonly isSecret?: boolean } = {},
): TypeError =>
  usageError(name, `option \`${name}\` must be ${expected}; received ${describeValue(received, isSecret)}.`)

/** Describes the kind of a value, for messages. Never prints a string. */
export const describeValue = (value: unknown, isSecret = false): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return isSecret ? `a ${typeof value}` : String(value)
  if (typeof value === 'string') return value === '' ? 'an empty string' : 'a string'
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (types.isUint8Array(value)) return 'bytes'
  if (isPromise(value)) return 'a promise'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

/** Returns whether a value is a promise that the application did not await. */
export const isPromise = (value: unknown): boolean => typeof value === 'object' && hasMethod(value, 'then')

/**
 * Returns a member of an object or function of unknown shape, or `undefined` without this member.
 */
export const getMember = (value: unknown, name: PropertyKey): unknown =>
  typeof value === 'function' || (typeof value === 'object' && value !== null) ? Reflect.get(value, name) : undefined

/** Returns whether an object or function of unknown shape has a method of this name. */
export const hasMethod = <Name extends string>(
  value: unknown,
  name: Name,
): value is { readonly [Method in Name]: (...args: readonly unknown[]) => unknown } =>
  typeof getMember(value, name) === 'function'

/**
 * Creates the error for an option whose value must not be used, with the reason and the fix. Never
 * prints the value.
 */
export const invalidOption = (name: string, problem: string, fix: string): TypeError =>
  usageError(name, `option \`${name}\` ${problem}; ${fix}`)

/**
 * Checks that `options` is a plain object without unknown members, because a misspelled option
 * would be ignored. Returns its own members: a polluted `Object.prototype` sets no option.
 *
 * @param of The function or option that the members belong to, for the message.
 * @param advice A sentence that ends the message about an unknown member.
 * @throws TypeError when `options` is not a plain object, or has a member that is not in `known`.
 */
export const checkOptionNames = <Options extends object>(
  options: Options,
  known: Readonly<Record<string, unknown>>,
  of: string,
  advice = '',
): Options => {
  // A rule that a class inherits would be lost.
  if (!isPlain(options)) {
    const received = describeValue(options)
    const problem =
      received === 'an object'
        ? 'a plain object, not an instance of a class: write { … }'
        : `an object; received ${received}`
    throw usageError(of, `the options of ${of} must be ${problem}.`)
  }
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(known, name))
  if (unknown === undefined) return Object.create(null, Object.getOwnPropertyDescriptors(options))
  const names = Object.keys(known)
  const closest = findClosestName(unknown, names)
  const hint = closest === undefined ? '' : ` (did you mean \`${closest}\`?)`
  throw usageError(
    of,
    `${of} has no option \`${unknown}\`${hint}; known options: ${names.join(', ')}.${advice && ` ${advice}`}`,
  )
}

/**
 * Returns whether a value is an object of no class. Objects of another realm (jsdom, node:vm) have
 * another `Object.prototype`.
 */
export const isPlain = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false
  const prototype: object | null = Object.getPrototypeOf(value)
  if (prototype === null) return true
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype, 'isPrototypeOf')
}

/**
 * Reads an object of options: each option with its reader, in the order of the readers. A reader
 * returns what to use for a value, or throws. Unknown options are refused first.
 *
 * @param of As in {@link checkOptionNames}.
 * @param texts `prefix` is written before each name in messages. `advice` is as in
 *   {@link checkOptionNames}.
 * @throws TypeError that names the option
 */
export const readOptions = <Options extends object, Read extends { [Name in keyof Options]-?: unknown }>(
  of: string,
  options: Options,
  readers: OptionReaders<Options, Read>,
  { prefix = '', advice = '' } = {},
): Readonly<Read> => readMembers(checkOptionNames(options, readers, of, advice), readers, prefix)

/** Reads members of options that {@link checkOptionNames} returned. Ignores other members. */
export function readMembers<Options extends object, Read>(
  own: Options,
  readers: OptionReaders<Options, Read>,
  prefix?: string,
): Readonly<Read>
export function readMembers(own: object, readers: OptionReaders<Record<string, unknown>>, prefix = ''): object {
  const read = Object.entries(readers).map(([name, reader]) => [name, reader(prefix + name, getMember(own, name))])
  return Object.fromEntries(read)
}

/** A reader for each option. `Read` has the types of the results. */
export type OptionReaders<Options, Read = { [Name in keyof Options]-?: unknown }> = {
  readonly [Name in keyof Read]: (
    name: string,
    value: Name extends keyof Options ? Options[Name] : undefined,
  ) => Read[Name]
}

/** An inclusive range, and what replaces `undefined`. */
export interface IntegerRange<Default extends number | undefined> {
  /** The least value. */
  readonly min: number
  /** The greatest value. */
  readonly max: number
  /** What an omitted option has. */
  readonly default: Default
  /** What is counted, in the plural, for messages. */
  readonly unit: string
}

/** Creates the reader of an integer within an inclusive range. `undefined` takes the default. */
export const createIntegerReader =
  <Default extends number | undefined>({ min, max, default: fallback, unit }: IntegerRange<Default>) =>
  (name: string, value: unknown): number | Default => {
    if (value === undefined) return fallback
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value
    throw optionError(name, `a whole number of ${unit} from ${min} to ${max}`, value)
  }

/** Reads a function. `undefined` stays `undefined`. */
export const readFunction = <F>(name: string, value: F): F => {
  if (value === undefined || typeof value === 'function') return value
  throw optionError(name, 'a function', value)
}

/** Reads a boolean. `undefined` is `false`. */
export const readBoolean = (name: string, value: unknown): boolean => {
  if (value === undefined || typeof value === 'boolean') return value === true
  throw optionError(name, 'true or false', value)
}

/** Reads a `Date` into a copy, by default of any instant. */
export const readInstant = (name: string, value: unknown, latest: EpochMs = Number.POSITIVE_INFINITY): Date => {
  if (value instanceof Date && value.getTime() <= latest) return new Date(value)
  throw optionError(name, `a valid Date${Number.isFinite(latest) ? ', not in the future' : ''}`, value)
}

/** Reads a non-empty, well-formed string. */
export const readText = (name: string, value: unknown, expected: string): string => {
  if (typeof value === 'string' && value !== '' && value.isWellFormed()) return value
  throw optionError(name, expected, value)
}

/**
 * Reads an object that has all of these methods, such as a port that the application implements.
 *
 * @param fix What to pass, for the message.
 */
export const readPort = <P extends object>(
  name: string,
  value: P,
  methods: readonly (keyof P & string)[],
  fix = 'pass an object with these methods.',
): P => {
  const missing = methods.filter((method) => !hasMethod(value, method))
  if (missing.length === 0) return value
  if (isPromise(value)) throw invalidOption(name, 'is a promise', 'await it.')
  throw invalidOption(name, value === undefined ? 'is missing' : `lacks the method(s) ${missing.join(', ')}`, fix)
}

/**
 * Returns the known name that shares the longest beginning with a misspelled or incomplete name:
 * `issuer` for `isuer`. Returns `undefined` if they share less than a third of it.
 */
export const findClosestName = (name: string, known: readonly string[]): string | undefined => {
  const countShared = (candidate: string): number => {
    const end = [...name].findIndex((letter, at) => letter.toLowerCase() !== candidate[at]?.toLowerCase())
    return end === -1 ? name.length : end
  }
  const [closest = ''] = known.toSorted((a, b) => countShared(b) - countShared(a))
  return countShared(closest) >= Math.max(2, name.length / 3) ? closest : undefined
}

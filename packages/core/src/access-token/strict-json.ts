import { isUtf8 } from 'node:buffer'
import { describeValue, getMember, isPlain, isPromise, usageError } from '../option-checks.js'

/** An object from JSON. Deeply frozen, and without inherited members. */
export type StrictObject = Readonly<Record<string, unknown>>

/**
 * Parses a JSON object. Returns `undefined` for anything else: ill-formed UTF-8, invalid JSON,
 * another JSON type, a member named `__proto__`, two members with one name, half a surrogate pair,
 * or a number out of range. Two parsers may read these differently (RFC 7519, section 4; RFC 8725,
 * section 3.10; RFC 7493, section 2).
 */
export const parseStrictObject = (bytes: Buffer): StrictObject | undefined => {
  if (!isUtf8(bytes)) return undefined
  try {
    const text = bytes.toString('utf8')
    const tally = { members: 0 }
    const value = seal(JSON.parse(text), tally)
    // JSON.parse keeps the last of two members with one name, so that fewer members remain than the
    // text has.
    return isObject(value) && tally.members === countMembers(text) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Converts JSON data of the application to the form that a reader will receive: after `toJSON`.
 * Members that are `undefined` are absent.
 *
 * @param option The option that contains the data, or returned it.
 * @param verb `be` for data that an option contains. It must have no instance of a class.
 * @throws TypeError that names the option and the member, for values that JSON would drop, replace
 *   or convert without an error
 */
export const toStrictObject = (option: string, given: unknown, verb: 'be' | 'return' = 'return'): StrictObject => {
  let fault: string | undefined
  // Not an arrow function, because `this` is the object that has the member. `value` is the member
  // after `toJSON`, which Buffer has.
  function findFault(this: object, name: string, value: unknown): unknown {
    const original = getMember(this, name)
    const instance = verb === 'be' && isObject(original) && !isPlain(original) ? 'an instance of a class' : undefined
    const loss = findLoss(original, value, Array.isArray(this)) ?? instance
    if (loss === undefined) return value
    fault ??= `${name === '' ? 'the value' : `\`${name}\``} is ${loss}, which JSON cannot contain`
    return null
  }
  const refused = (problem: string): TypeError => usageError(option, `option \`${option}\` must ${verb} ${problem}`)
  let text = ''
  try {
    text = JSON.stringify(given, findFault) ?? ''
  } catch (cause) {
    throw Object.assign(refused('JSON data, without circular references.'), { cause })
  }
  if (fault !== undefined) throw refused(`JSON data, but ${fault}.`)
  const object = parseStrictObject(Buffer.from(text))
  if (object !== undefined) return object
  const received = `${verb === 'be' ? 'received' : 'it returned'} ${describeValue(given, true)}`
  const fix = given === undefined ? ' Does the function lack a `return`?' : ''
  throw refused(`an object of JSON data, in well-formed Unicode and without a member \`__proto__\`; ${received}.${fix}`)
}

/** Describes a value that JSON would drop or replace. `value` is `original` after `toJSON`. */
const findLoss = (original: unknown, value: unknown, isInList: boolean): string | undefined => {
  if (ArrayBuffer.isView(original)) return 'bytes'
  if (value === undefined) return isInList ? 'undefined' : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value)
  if (['function', 'symbol', 'bigint'].includes(typeof value)) return `a ${typeof value}`
  if (isPromise(value)) return 'a promise without `await`'
  // Objects of these classes have no members that JSON writes. Members of other classes are
  // written.
  const lost = [Map, Set, RegExp, Error].find((each) => value instanceof each)
  return lost && `a ${lost.name}`
}

/** Returns whether a value is an object and not an array. */
export const isObject = (value: unknown): value is StrictObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Creates an object without members and without inherited members. */
export const createBareObject = (): Record<string, unknown> =>
  // The prototype is removed before members are added: if it were removed afterwards, V8 would
  // convert the object to a slow dictionary.
  Object.setPrototypeOf({}, null)

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

// In valid JSON text, each colon outside of a string belongs to one member.
const countMembers = (text: string): number => {
  let count = 0
  let isInString = false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === backslash) at += 1
    else if (code === quote) isInString = !isInString
    else if (code === colon && !isInString) count += 1
  }
  return count
}

/**
 * Copies a parsed value. The copy is deeply frozen, because it is cached and shared between
 * requests. Its objects inherit nothing, so that a member `constructor` exists only if it was sent.
 * Throws a `SyntaxError` for half a surrogate pair and for a number out of range. Adds the number
 * of members to the tally.
 */
const seal = (value: unknown, tally: { members: number }): unknown => {
  if (Array.isArray(value)) return Object.freeze(value.map((member) => seal(member, tally)))
  if (isObject(value)) {
    const sealed = createBareObject()
    for (const name of Object.keys(value)) {
      if (name === '__proto__' || !name.isWellFormed()) throw new SyntaxError('unsound')
      sealed[name] = seal(value[name], tally)
      tally.members += 1
    }
    return Object.freeze(sealed)
  }
  const isSound = typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value)
  if (isSound) return value
  throw new SyntaxError('unsound')
}

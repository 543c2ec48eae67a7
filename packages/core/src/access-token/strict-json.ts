import { isUtf8 } from 'node:buffer'

/** An object from JSON: frozen to its leaves, and with no members but its own. */
export type StrictObject = Readonly<Record<string, unknown>>

/**
 * Parses the JSON object that the bytes hold; `undefined` for anything else: ill-formed UTF-8, broken JSON, another JSON type,
 * a member named `__proto__`, an object with two members of one name, half a surrogate pair or a number beyond all range, all
 * of which two parsers may read in two ways (RFC 7519, section 4; RFC 8725, section 3.10; RFC 7493, section 2).
 */
export const parseStrictObject = (bytes: Buffer): StrictObject | undefined => {
  if (!isUtf8(bytes)) return undefined
  try {
    const text = bytes.toString('utf8')
    const tally = { members: 0 }
    const value = seal(JSON.parse(text), tally)
    // Of two members with one name JSON.parse keeps the last: then fewer are left than were written.
    return isObject(value) && tally.members === countWritten(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a value is an object that is no array. */
export const isObject = (value: unknown): value is StrictObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An object without members that inherits none either. */
export const createBareObject = (): Record<string, unknown> =>
  // It loses its prototype before it has members: later, V8 would make a slow dictionary of it.
  Object.setPrototypeOf({}, null)

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

/** How many members are written in valid JSON text: every colon that stands in no string is one. */
const countWritten = (text: string): number => {
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

/** Counts the members of what is sealed. */
interface Tally {
  members: number
}

/**
 * What was parsed once more, frozen to its leaves, for it is cached and shared between requests, and in objects that inherit
 * nothing, so that asking one for a member `constructor` finds none that was not sent. Throws at what is not sound.
 */
const seal = (value: unknown, tally: Tally): unknown => {
  switch (typeof value) {
    case 'object':
      return value === null ? null : sealMembers(value, tally)
    case 'string':
      if (value.isWellFormed()) return value
      break
    case 'number':
      if (Number.isFinite(value)) return value
      break
    default:
      return value
  }
  throw new SyntaxError('unsound')
}

const sealMembers = (parsed: object, tally: Tally): object => {
  if (Array.isArray(parsed)) return Object.freeze(parsed.map((member) => seal(member, tally)))
  const sealed = createBareObject()
  for (const name of Object.keys(parsed)) {
    if (name === '__proto__' || !name.isWellFormed()) throw new SyntaxError('unsound')
    sealed[name] = seal(Reflect.get(parsed, name), tally)
    tally.members += 1
  }
  return Object.freeze(sealed)
}

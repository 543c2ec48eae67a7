const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** An object from JSON: frozen to its leaves, and with no members but its own. */
export type StrictObject = Readonly<Record<string, unknown>>

/**
 * Parses the JSON object that the bytes hold; `undefined` for anything else: ill-formed UTF-8, broken JSON, another JSON type,
 * a member named `__proto__`, an object with two members of one name, half a surrogate pair or a number beyond all range, all
 * of which two parsers may read in two ways (RFC 7519, section 4; RFC 8725, section 3.10; RFC 7493, section 2).
 */
export const parseStrictObject = (bytes: Uint8Array): StrictObject | undefined => {
  try {
    const text = decoder.decode(bytes)
    const value = seal(JSON.parse(text))
    // Of two members with one name JSON.parse keeps the last: then fewer are left than were written.
    return isObject(value) && countMembers(value) === countNames(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a value is an object that is no array. */
export const isObject = (value: unknown): value is StrictObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Every string of a JSON text, with the colon that makes one a member's name.
const jsonString = /"(?:[^"\\]|\\.)*"(?:\s*:)?/g

/** How many members are written in valid JSON text. */
const countNames = (text: string): number =>
  (text.match(jsonString) ?? []).filter((written) => written.endsWith(':')).length

const countMembers = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return 0
  let count = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const member of Object.values(value)) count += countMembers(member)
  return count
}

/**
 * What was parsed once more, frozen to its leaves, for it is cached and shared between requests, and in objects that inherit
 * nothing, so that asking one for a member `constructor` finds none that was not sent. Throws at what is not sound.
 */
const seal = (value: unknown): unknown => {
  if (typeof value === 'object' && value !== null) {
    return Object.freeze(Array.isArray(value) ? value.map(seal) : sealMembers(value))
  }
  if (typeof value === 'string' ? value.isWellFormed() : typeof value !== 'number' || Number.isFinite(value))
    return value
  throw new SyntaxError('unsound')
}

const sealMembers = (value: object): object => {
  // An object loses its prototype before it has members: later, V8 would make a slow dictionary of it.
  const sealed: Record<string, unknown> = Object.setPrototypeOf({}, null)
  for (const [name, member] of Object.entries(value)) {
    if (name === '__proto__' || !name.isWellFormed()) throw new SyntaxError('unsound')
    sealed[name] = seal(member)
  }
  return sealed
}

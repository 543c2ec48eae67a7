const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Parses the JSON object that the bytes hold; `undefined` for anything else: ill-formed UTF-8, broken JSON, another
 * JSON type, a member named `__proto__`, or an object with two members of one name, which two parsers may read in two
 * ways (RFC 7519, section 4; RFC 8725, section 3.10).
 */
export const parseStrictObject = (bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const text = decoder.decode(bytes)
    const value: unknown = JSON.parse(text)
    return isObject(value) && !hasAmbiguousMember(text) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether a value is an object that is no array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// Strings, with the colon that makes one a member name, and the brackets. Everything else is passed over.
const jsonToken = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g

/** Whether valid JSON text names a member twice in one object, or names one `__proto__`. */
const hasAmbiguousMember = (text: string): boolean => {
  const open: Set<string>[] = []
  for (const [token, colon] of text.matchAll(jsonToken)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else if (colon !== undefined) {
      const name: string = JSON.parse(token.slice(0, -colon.length))
      const names = open.at(-1)
      if (name === '__proto__' || names === undefined || names.has(name)) return true
      names.add(name)
    }
  }
  return false
}

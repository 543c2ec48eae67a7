/** Parses JSON as a value of unknown type. */
export const parseJson = (text: string): unknown => JSON.parse(text)

/** Parses the text of a JSON object. */
export const parseObject = (text: string): Readonly<Record<string, unknown>> => {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null) return Object.fromEntries(Object.entries(value))
  throw new Error('Expected a JSON object.')
}

/**
 * Returns the member of a JSON object at the end of a path of names; `undefined` when one is
 * missing.
 */
export const readMember = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (parent, name) => (typeof parent === 'object' && parent !== null ? Reflect.get(parent, name) : undefined),
    value,
  )

/** Returns a member that must be text. */
export const readTextMember = (value: unknown, ...path: readonly string[]): string => {
  const member = readMember(value, ...path)
  if (typeof member === 'string') return member
  throw new Error(`Expected text at ${path.join('.')}, found ${typeof member}.`)
}

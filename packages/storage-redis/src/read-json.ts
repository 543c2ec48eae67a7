/** Parses stored JSON text. Throws a `TypeError` that does not repeat the text, as the error of `JSON.parse` would. */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new TypeError('A stored value is no JSON text.')
  }
}

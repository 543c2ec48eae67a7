/** Returns the object of a JSON text; `undefined` if the text is not JSON. */
export const parseJson = (text: string) => {
  try {
    return Object(JSON.parse(text))
  } catch {
    return undefined
  }
}

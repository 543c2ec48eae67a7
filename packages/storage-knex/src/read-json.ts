import { unreadable } from './unreadable.js'

/** Parses the JSON text of a column. Throws a `TypeError` that does not repeat the text, as the error of `JSON.parse` would. */
export const readJson = (text: string, column: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable(`the column ${column} holds no valid JSON`)
  }
}

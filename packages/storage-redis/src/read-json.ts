import { unreadable } from './unreadable.js'

/** Parses the JSON text of a place. Throws a `TypeError` that does not repeat the text, as the error of `JSON.parse` would. */
export const readJson = (text: string, place: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadable(`${place} holds no valid JSON`)
  }
}

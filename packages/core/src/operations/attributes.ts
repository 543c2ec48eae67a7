import { parseStrictObject, type StrictObject, toStrictObject } from '../access-token/strict-json.js'
import { toStorageError } from '../checked/storage-error.js'
import { optionError } from '../option-checks.js'
import type { SessionRecord } from '../ports/session-storage.js'

const maxLength = 1_024

/** Reads the attributes of a new session, and returns them as they are stored. */
export const readAttributes = (name: string, attributes: object | undefined): string | null => {
  if (attributes === undefined) return null
  const text = JSON.stringify(toStrictObject(name, attributes, 'be'))
  if (text.length <= maxLength) return text
  throw optionError(name, `at most ${maxLength} characters of JSON`, attributes)
}

/**
 * Returns the attributes of a session, and `{}` if it has none.
 *
 * @throws AuthError `jwt_auth_unavailable` if they cannot be read, because they may be restrictions
 */
export const parseAttributes = ({ id, attributes }: SessionRecord): StrictObject => {
  const parsed = parseStrictObject(Buffer.from(attributes ?? '{}'))
  if (parsed !== undefined) return parsed
  throw toStorageError(new TypeError('jwt-auth: the attributes of the session hold no JSON object.'), id)
}

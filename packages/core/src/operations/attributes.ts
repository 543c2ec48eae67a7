import { findInvalidAttribute } from '../access-token/claims.js'
import { parseStrictObject, type StrictObject, toStrictObject } from '../access-token/strict-json.js'
import { toStorageError } from '../checked/storage-error.js'
import { invalidOption, optionError } from '../option-checks.js'
import type { SessionRecord } from '../ports/session-storage.js'

const maxLength = 1_024

/** Reads the attributes of a new session, and returns them as they are stored. */
export const readAttributes = (name: string, attributes: object | undefined): string | null => {
  if (attributes === undefined) return null
  const object = toStrictObject(name, attributes, 'be')
  const invalid = findInvalidAttribute(object)
  if (invalid !== undefined)
    throw invalidOption(
      name,
      `has an invalid \`${invalid}\``,
      '`amr` must be a list of texts, `acr` text, and `act` an object with the text `sub`; `may_act`, `azp`, `events` and `sub_id` are reserved.',
    )
  const text = JSON.stringify(object)
  if (text.length <= maxLength) return text
  throw optionError(name, `at most ${maxLength} characters of JSON`, attributes)
}

const none = Object.freeze({})

/**
 * Returns the attributes of a session, and `{}` if it has none.
 *
 * @throws AuthError `jwt_auth_unavailable` if they cannot be read, because they may be restrictions
 */
export const parseAttributes = ({ id, attributes }: SessionRecord): StrictObject => {
  if (attributes === null) return none
  const parsed = parseStrictObject(Buffer.from(attributes))
  if (parsed !== undefined) return parsed
  throw toStorageError(new TypeError('jwt-auth: the attributes of the session hold no JSON object.'), id)
}

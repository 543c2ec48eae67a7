import type { UserId } from '@jwt-auth/core'
import { getMember, setupError } from '@jwt-auth/core/adapter'
import type { StoredUser } from '@jwt-auth/passwords'
import type { ResolvedKnexUsersOptions } from './knex-users-options.js'
import type { UserColumns } from './user-columns.js'

/**
 * A row of the application's table, with the names of {@link UserColumns} and of the option
 * `extraColumns`.
 */
export type UserRow = Readonly<Record<keyof UserColumns, unknown>>

/**
 * Creates the function that converts rows to users. Throws an `AuthError` for an id or a version
 * that the options do not allow.
 */
export const createRowParser =
  ({ columns, extraColumns, idType }: ResolvedKnexUsersOptions) =>
  (row: UserRow): StoredUser => ({
    ...Object.fromEntries(Object.keys(extraColumns).map((member) => [member, getMember(row, member)])),
    id: idType === 'text' ? toText(row.id) : parseInteger(row.id),
    username: toText(row.username),
    email: toText(row.email),
    nicename: toOptionalText(row.nicename),
    displayName: toOptionalText(row.displayName),
    link: toText(row.link),
    disabled: isSet(row.disabled),
    passwordHash: row.passwordHash === null ? null : String(row.passwordHash),
    ...(columns.credentialVersion !== undefined && { credentialVersion: parseVersion(row.credentialVersion) }),
  })

const parseInteger = (id: unknown): UserId => {
  const integer = Number(id)
  if (Number.isSafeInteger(integer) && id !== null && id !== '') return integer
  throw setupError("knexUsers found an id that is not a whole number; use idType: 'text'.")
}

// The text of a driver's Date depends on the time zone of the process.
const parseVersion = (version: unknown): string => {
  if (typeof version === 'object' && version !== null) {
    throw setupError(
      'knexUsers found a credentialVersion that is neither a number nor text, such as a date; use random text that is never reused.',
    )
  }
  return String(version)
}

const toOptionalText = (value: unknown): string | undefined =>
  value === null || value === undefined ? undefined : String(value)

const toText = (value: unknown): string => toOptionalText(value) ?? ''

// The databases return true, 1 or '1' for true. Other columns, such as char(1) on PostgreSQL, may
// hold other values for true.
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== 0 && value !== '0'

import { type StoredUser, setupError, type UserId } from '@jwt-auth/core'
import type { KnexUsersOptions, UserColumns } from './knex-users-options.js'

/** A row of the host's table, under our names for its columns. */
export type UserRow = Readonly<Record<keyof UserColumns, unknown>>

/** Reads rows as the options say. */
export const createRowReader =
  ({ columns, idType }: Pick<KnexUsersOptions, 'columns' | 'idType'>) =>
  (row: UserRow): StoredUser => ({
    id: idType === 'text' ? toText(row.id) : toInteger(row.id),
    username: toText(row.username),
    email: toText(row.email),
    nicename: toText(row.nicename),
    displayName: toText(row.displayName),
    link: toText(row.link),
    disabled: isSet(row.disabled),
    passwordHash: row.passwordHash === null ? null : String(row.passwordHash),
    ...(columns.credentialVersion !== undefined && { credentialVersion: toVersion(row.credentialVersion) }),
  })

const toInteger = (id: unknown): UserId => {
  const integer = Number(id)
  if (Number.isSafeInteger(integer) && id !== null && id !== '') return integer
  throw setupError("knexUsers found an id that is no whole number; use idType: 'text'.")
}

// A driver's Date depends on the time zone of the process that reads it.
const toVersion = (version: unknown): string => {
  if (typeof version === 'object' && version !== null) {
    throw setupError(
      'knexUsers found a credentialVersion that is neither a number nor text, such as a date; use random text that is never reused.',
    )
  }
  return String(version)
}

const toText = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

// true, 1 and '1' are what the databases make of true; PostgreSQL's char(1) and the like may hold others.
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== 0 && value !== '0'

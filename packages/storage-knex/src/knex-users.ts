import {
  bcryptUsers,
  optionError,
  readText,
  type StoredUser,
  setupError,
  type UserDirectory,
  type UserId,
} from '@jwt-auth/core'
import type { Knex } from 'knex'

/** The columns of the host's table of users. */
export interface UserColumns {
  readonly id: string
  readonly username: string
  readonly passwordHash: string
  readonly email: string
  readonly nicename: string
  readonly displayName: string
  readonly link?: string | undefined
  /** A column that is true (or not zero) for users who may not log in. @default nobody is disabled */
  readonly disabled?: string | undefined
  /** A column that changes with the password. @default derived from the password hash */
  readonly credentialVersion?: string | undefined
}

/** How {@link knexUsers} reads the host's table. */
export interface KnexUsersOptions {
  readonly table: string
  readonly columns: UserColumns
  /** What the ids are in tokens and answers: PostgreSQL's driver gives `bigint` columns as text. @default 'integer' */
  readonly idType?: 'integer' | 'text' | undefined
  /** bcrypt cost whose work every login attempt takes, 4 to 15: the one the stored hashes have. @default 12 */
  readonly cost?: number | undefined
}

type UserRow = Readonly<Record<keyof UserColumns, unknown>>

const requiredColumns = ['id', 'username', 'passwordHash', 'email', 'nicename', 'displayName'] as const

/**
 * The host's users in a table of the host's own, with bcrypt hashes; this package only ever reads it. User names are
 * compared exactly, whatever the column's collation.
 *
 * @example
 * knexUsers(knex, {
 *   table: 'users',
 *   columns: { id: 'id', username: 'login', passwordHash: 'password_hash', email: 'email', nicename: 'slug', displayName: 'name' },
 * })
 */
export const knexUsers = (knex: Knex, options: KnexUsersOptions): UserDirectory => {
  const { table, columns } = readOptions(options)
  const selection = Object.fromEntries(
    Object.entries(columns).flatMap(([field, column]) => (column === undefined ? [] : [[field, column]])),
  )
  const toId = options.idType === 'text' ? toTextId : toIntegerId

  const toStoredUser = (row: UserRow): StoredUser => ({
    id: toId(row.id),
    email: toText(row.email),
    nicename: toText(row.nicename),
    displayName: toText(row.displayName),
    link: toText(row.link),
    disabled: isSet(row.disabled),
    passwordHash: row.passwordHash === null ? null : String(row.passwordHash),
    ...(columns.credentialVersion !== undefined && { credentialVersion: toVersion(row.credentialVersion) }),
  })

  const find = (column: string, value: string | number): Promise<readonly UserRow[]> =>
    knex(table).where(column, value).select(selection)

  return bcryptUsers({
    cost: options.cost,
    findByUsername: async (username) => {
      // No database stores NUL in text, and PostgreSQL rejects a query that holds one.
      const rows = username.includes('\0') ? [] : await find(columns.username, username)
      const row = rows.find((candidate) => candidate.username === username)
      return row && toStoredUser(row)
    },
    findById: async (id) => {
      if (!isOfType(id, options.idType)) return undefined
      const [row] = await find(columns.id, id)
      return row && toStoredUser(row)
    },
  })
}

const readOptions = ({ table, columns, idType }: KnexUsersOptions): Pick<KnexUsersOptions, 'table' | 'columns'> => {
  readText('knexUsers.table', table, "the name of the host's table of users")
  for (const field of requiredColumns) readText(`knexUsers.columns.${field}`, columns?.[field], 'the name of a column')
  if (idType === undefined || idType === 'integer' || idType === 'text') return { table, columns }
  throw optionError('knexUsers.idType', "'integer' or 'text'", idType)
}

// MySQL would compare a text column with a number as numbers: every name that starts with no digit equals 0.
const isOfType = (id: UserId, idType: KnexUsersOptions['idType']): boolean =>
  typeof id === (idType === 'text' ? 'string' : 'number')

const toIntegerId = (id: unknown): number => {
  const integer = Number(id)
  if (Number.isSafeInteger(integer) && id !== null && id !== '') return integer
  throw setupError("knexUsers found an id that is no whole number; use idType: 'text'.")
}

const toTextId = (id: unknown): string => String(id)

// A driver's Date depends on the time zone of the process that reads it.
const toVersion = (version: unknown): string => {
  if (typeof version === 'object' && version !== null) {
    throw setupError('knexUsers found a credentialVersion that is no number or text, such as a date; use a counter.')
  }
  return String(version)
}

const toText = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

// true, 1 and '1' are what the databases make of true; PostgreSQL's char(1) and the like may hold others.
const isSet = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== 0 && value !== '0'

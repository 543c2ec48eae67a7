import { setupError } from '@jwt-auth/core/internal'
import type { StoredUser } from '@jwt-auth/passwords'
import type { ResolvedKnexUsersOptions } from './knex-users-options.js'
import type { UserColumns } from './user-columns.js'

/**
 * Creates the selection of the columns, and the function that converts a row of this selection to a
 * user. The function throws an `AuthError` that names the first column with a value that
 * {@link UserColumns} does not allow.
 */
export const createRowReader = ({ columns, extraColumns, idType }: ResolvedKnexUsersOptions) => {
  const selected = Object.entries({ ...extraColumns, ...columns }).filter(([, column]) => column !== undefined)
  return {
    // Values are read by position, because converters of names (`wrapIdentifier`,
    // `postProcessResponse`) may rename the members of a row. They keep aliases of one small letter
    // apart.
    selection: Object.fromEntries(selected.map(([, column], index) => ['x'.repeat(index + 1), column])),

    parseRow: (row: object): StoredUser => {
      const values: readonly unknown[] = Object.values(row)
      if (values.length !== selected.length) throw setupError(lostColumns)
      const found = new Map(selected.map(([member], index) => [member, values[index]]))
      const read = <T>(member: keyof UserColumns, convert: Converter<T>, expected = 'text or whole numbers'): T => {
        const value = found.get(member) ?? null
        const converted = convert(value)
        if (converted !== undefined) return converted
        // The name of the type only, because the value may be a password hash.
        const type = Object.prototype.toString.call(value).slice('[object '.length, -1)
        throw setupError(
          `knexUsers cannot read a value of the type ${type} in the column \`${columns[member]}\`; \`columns.${member}\` must name a column of ${expected}.`,
        )
      }
      return {
        ...Object.fromEntries(Object.keys(extraColumns).map((member) => [member, found.get(member)])),
        id: idType === 'text' ? read('id', toTextId, binaryIds) : read('id', toInteger, integers),
        username: read('username', toTextOrNull) ?? '',
        email: read('email', toTextOrNull) ?? '',
        nicename: read('nicename', toTextOrNull) ?? undefined,
        displayName: read('displayName', toTextOrNull) ?? undefined,
        link: read('link', toTextOrNull) ?? '',
        disabled: read('disabled', toMark, 'true or false, of 0 or 1, or of times'),
        // PostgreSQL pads `char(n)` with spaces.
        passwordHash: read('passwordHash', toTextOrNull)?.trimEnd() ?? null,
        ...(columns.credentialVersion !== undefined && {
          credentialVersion: String(read('credentialVersion', toTextOrNull, versions)),
        }),
      }
    },
  }
}

const lostColumns =
  'knexUsers received a row with more or fewer values than it selected; `postProcessResponse` of your knex instance must keep all members of a row.'
const binaryIds = 'text or exact whole numbers; a generated column can hold binary ids as text'
const integers = "whole numbers up to 2^53 - 1, without leading zeros; for other ids, use idType: 'text'"
const versions = 'random text that is never reused, or of whole numbers'

/** Converts a value of a driver. Returns `undefined` for a value that is not accepted. */
type Converter<T> = (value: unknown) => T | undefined

// Dates and bytes are refused. The text of a driver's Date depends on the time zone of the process.
const toText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  return typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : undefined
}

const toTextId = (value: unknown): string | undefined => toText(value) || undefined

const toTextOrNull = (value: unknown): string | null | undefined => (value === null ? null : toText(value))

// Each id has one form: `007`, `1e3` and `0x10` are not the ids of the users 7, 1000 and 16.
const toInteger = (value: unknown): number | undefined => {
  const text = toText(value)
  const integer = Number(text)
  return Number.isSafeInteger(integer) && String(integer) === text ? integer : undefined
}

const toMark = (value: unknown): boolean | undefined => {
  if (value === null) return false
  // mysql2 returns BIT(1) as one byte.
  const [bit] = value instanceof Uint8Array && value.length === 1 ? value : [value]
  const mark = bit instanceof Date ? bit.toJSON() : bit
  if (typeof mark === 'object') return undefined
  if (/^(false|0)$/.test(String(mark))) return false
  return disabling.test(String(mark)) ? true : undefined
}

// True, one, a date, or a time in seconds or milliseconds. A zero date of MySQL is refused.
const disabling = /^(true|1|[1-9]\d{9,}|[1-9]\d{3}-\d\d-\d\d.*)$/
